package dev.ebb.host.tokeneval;

import java.util.Arrays;

/** A prompt, a question and its answer. */
final class RecallQuestion {

  private final int[] prompt;
  private final int[] after;
  private final int[] answer;

  /**
   * Creates a question.
   *
   * @param prompt read before tokens are dropped
   * @param after asked afterwards; empty if the question is at the prompt's end
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

  /** Returns whether an answer is correct to the last token. */
  boolean rightly(int[] given) {
    return Arrays.equals(given, answer);
  }
}
