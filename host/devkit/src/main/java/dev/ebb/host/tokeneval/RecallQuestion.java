package dev.ebb.host.tokeneval;

import java.util.Arrays;

/**
 * A prompt, a question and its answer.
 *
 * @param prompt read before tokens are dropped
 * @param after asked afterwards; empty if the question is at the prompt's end
 */
@SuppressWarnings("ArrayRecordComponent")
record RecallQuestion(int[] prompt, int[] after, int[] answer) {

  /** Returns whether an answer is correct to the last token. */
  boolean rightly(int[] given) {
    return Arrays.equals(given, answer);
  }
}
