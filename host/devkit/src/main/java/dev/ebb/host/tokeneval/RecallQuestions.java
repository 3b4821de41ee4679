package dev.ebb.host.tokeneval;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Generates prompts: facts {@code a b v1 v2 v3} among meaningless tokens. */
final class RecallQuestions {

  private static final int FACT = 5;

  /** The number of tokens of text per fact. */
  private static final int TOKENS_PER_FACT = 20;

  private static final int NAMES = 24;
  private static final int VALUES = 200;
  private static final int FILLERS = 60;

  /** The shortest prompt that has a fact, a question and something between. */
  static final int SHORTEST = 64;

  private RecallQuestions() {}

  /**
   * Returns a prompt with facts of different names, one of which is asked for.
   *
   * @param length tokens of the prompt, at least {@link #SHORTEST}
   * @param inPrompt whether the question is at the prompt's end, or follows afterwards
   * @param seed decides the text; facts and question are the same in both cases
   */
  static RecallQuestion of(int length, boolean inPrompt, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int slots = (length - 4) / TOKENS_PER_FACT;
    int facts = Math.min(slots, NAMES);
    int[] text = new int[length];
    for (int i = 0; i < length; i++) {
      // Small numbers are frequent, as words are.
      text[i] = RecallModel.FIRST_FILLER + (int) (FILLERS * Math.pow(random.nextDouble(), 3));
    }
    text[0] = RecallModel.BEGIN;
    int[] names = shuffled(NAMES, random);
    int[] places = shuffled(slots, random);
    int[] asked = {};
    for (int i = 0; i < facts; i++) {
      int start = 1 + places[i] * TOKENS_PER_FACT + random.nextInt(TOKENS_PER_FACT - FACT + 1);
      text[start] = RecallModel.FIRST_A + names[i];
      text[start + 1] = RecallModel.FIRST_B + random.nextInt(NAMES);
      for (int v = 2; v < FACT; v++) {
        text[start + v] = RecallModel.FIRST_VALUE + random.nextInt(VALUES);
      }
      if (i == 0) {
        asked = Arrays.copyOfRange(text, start, start + FACT);
      }
    }
    int[] answer = Arrays.copyOfRange(asked, 2, FACT);
    int[] question = {RecallModel.QUESTION, asked[0], asked[1]};
    if (inPrompt) {
      System.arraycopy(question, 0, text, length - question.length, question.length);
      return new RecallQuestion(text, new int[0], answer);
    }
    return new RecallQuestion(text, question, answer);
  }

  private static int[] shuffled(int count, SplittableRandom random) {
    int[] order = IntStream.range(0, count).toArray();
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int value = order[i];
      order[i] = order[other];
      order[other] = value;
    }
    return order;
  }
}
