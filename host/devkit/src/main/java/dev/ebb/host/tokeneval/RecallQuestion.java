package dev.ebb.host.tokeneval;

import java.util.Arrays;

/** A prompt, a question and its answer. */
final class RecallQuestion {

  private final int[] prompt;
  private final int[] after;
  private final int[] answer;

  /**
   * A question.
   *
   * @param prompt what is read before tokens are dropped
   * @param after what is asked afterwards; nothing if the question stands at the prompt's end
   * @param answer the tokens that come next
   */
  RecallQuestion(int[] prompt, int[] after, int[] answer) {
    this.prompt = prompt.clone();
    this.after = after.clone();
    this.answer = answer.clone();
  }

  int[] prompt() {
    return prompt.clone();
  }

  int[] after() {
    return after.clone();
  }

  int[] answer() {
    return answer.clone();
  }

  /** Whether an answer is right to the last token. */
  boolean rightly(int[] given) {
    return Arrays.equals(given, answer);
  }
}
