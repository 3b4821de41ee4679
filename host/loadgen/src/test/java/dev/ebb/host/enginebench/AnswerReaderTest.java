package dev.ebb.host.enginebench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.enginebench.AnswerReader.StreamedAnswer;
import dev.ebb.host.enginebench.EngineException.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerReaderTest {

  private final AnswerReader reader = new AnswerReader(1_000, () -> {});

  private void text(String text) {
    reader.event(
        "{'choices':[{'text':'%s','finish_reason':null}]}".formatted(text).replace('\'', '"'));
  }

  private void event(String data) {
    reader.event(data.replace('\'', '"'));
  }

  @Test
  void textsThatArriveTogetherShareTheTime() {
    event("{'choices':[{'delta':{'role':'assistant','content':''}}]}");
    reader.arrived(1_500);
    text("a");
    text("b");
    reader.arrived(2_000);
    text("c");
    reader.arrived(2_300);
    text("d");
    text("e");
    reader.arrived(2_500);
    reader.arrived(9_000);
    event("[DONE]");
    event("not read any more");

    StreamedAnswer answer = reader.answer(10_000);
    assertThat(answer.text()).isEqualTo("abcde");
    assertThat(answer.firstNanos()).isEqualTo(1_000);
    assertThat(answer.lastNanos()).isEqualTo(1_500);
    assertThat(answer.tokens()).isEqualTo(5);
    List<Long> intervals = reader.intervals();
    assertThat(intervals).containsExactly(300L, 100L, 100L);
  }

  @Test
  void anAnswerWithoutTextEndsWithItsReason() {
    event("{'choices':[{'text':'','finish_reason':'stop'}]}");
    reader.arrived(4_000);
    event("{'choices':[],'usage':{'prompt_tokens':3,'completion_tokens':1}}");
    reader.arrived(5_000);

    StreamedAnswer answer = reader.answer(6_000);
    assertThat(answer.firstNanos()).isEqualTo(3_000);
    assertThat(answer.lastNanos()).isEqualTo(3_000);
    assertThat(answer.promptTokens()).isEqualTo(3);
    assertThat(answer.cachedTokens()).isEqualTo(StreamedAnswer.UNKNOWN);
    assertThat(answer.tokens()).isEqualTo(1);
  }

  @Test
  void reasoningIsText() {
    event("{'choices':[{'delta':{'reasoning_content':'r','content':null}}]}");
    reader.arrived(2_000);
    event("{'choices':[{'delta':{'content':'c'},'finish_reason':'stop'}]}");
    reader.arrived(3_000);

    assertThat(reader.answer(4_000).text()).isEqualTo("rc");
  }

  @Test
  void errorsOfEachServerAreRead() {
    assertThatThrownBy(() -> event("{'error':{'message':'of vLLM','code':400}}"))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("of vLLM");
    assertThatThrownBy(() -> event("{'error':'as text'}")).hasMessageContaining("as text");
    assertThatThrownBy(() -> event("[1]"))
        .isInstanceOfSatisfying(
            EngineException.class, failed -> assertThat(failed.kind()).isEqualTo(Kind.MALFORMED));
    event("{'error':null,'choices':[]}");
  }

  @Test
  void aStreamThatEndsWithoutAReasonIsIncomplete() {
    text("a");
    reader.arrived(2_000);
    assertThatThrownBy(() -> reader.answer(3_000))
        .isInstanceOfSatisfying(
            EngineException.class, failed -> assertThat(failed.kind()).isEqualTo(Kind.INCOMPLETE));
  }
}
