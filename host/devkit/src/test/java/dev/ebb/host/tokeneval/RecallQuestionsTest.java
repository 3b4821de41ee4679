package dev.ebb.host.tokeneval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecallQuestionsTest {

  @ParameterizedTest
  @ValueSource(ints = {64, 100, 512})
  void asksTheSameWhetherInThePromptOrAfterwards(int length) {
    for (int seed = 0; seed < 20; seed++) {
      RecallQuestion in = RecallQuestions.of(length, true, seed);
      RecallQuestion after = RecallQuestions.of(length, false, seed);
      assertThat(in.prompt()).hasSize(length);
      assertThat(after.prompt()).hasSize(length);
      assertThat(in.after()).isEmpty();
      assertThat(Arrays.copyOfRange(in.prompt(), length - 3, length)).isEqualTo(after.after());
      assertThat(in.answer()).hasSize(3).isEqualTo(after.answer());
      assertThat(in.prompt()).startsWith(RecallModel.BEGIN).doesNotContain(RecallModel.NONE);
    }
  }

  /** The model is right whenever it has everything, with embeddings of its own. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theModelKnowsEveryFactOfAWholePrompt(boolean inPrompt) {
    try (RecallBed bed = new RecallBed(RecallModel.of(1), 128)) {
      for (int seed = 0; seed < 5; seed++) {
        RecallQuestion question = RecallQuestions.of(128, inPrompt, seed);
        try (RecallBed.Prompt prompt = bed.read(question)) {
          assertThat(question.rightly(prompt.answer(null, 3))).as("seed %d", seed).isTrue();
        }
      }
    }
  }

  @Test
  void saysThatThereIsNoSuchFact() {
    try (RecallBed bed = new RecallBed(RecallModel.of(1), 128)) {
      RecallQuestion question = RecallQuestions.of(128, false, 3);
      int unknown = RecallModel.FIRST_VALUE + 199;
      try (RecallBed.Prompt prompt =
          bed.read(
              new RecallQuestion(
                  question.prompt(),
                  new int[] {RecallModel.QUESTION, unknown, unknown},
                  new int[] {RecallModel.NONE}))) {
        assertThat(prompt.answer(null, 1)).containsExactly(RecallModel.NONE);
      }
    }
  }
}
