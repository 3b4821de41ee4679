package dev.ebb.plugin.predictive;

import java.util.Arrays;

/**
 * The prompt that the running request replaces: the last one that used the deepest known block. If
 * the request continues at least half of it, but not to its end, what is left of it is superseded,
 * as is an earlier version of an edited text. The model learns whether such blocks return.
 */
final class SupersededPrompt {

  private final Cohorts cohorts;
  private int request;
  private int[] parts = new int[16];
  private int count;

  SupersededPrompt(Cohorts cohorts) {
    this.cohorts = cohorts;
  }

  /** Starts a request. */
  void clear() {
    request = 0;
    count = 0;
  }

  /** Records the cohort of a known block that the request is about to use; the last call counts. */
  void uses(int cohort) {
    if (cohorts.request(cohort) == request) {
      return;
    }
    request = cohorts.request(cohort);
    count = 0;
    if (request == 0) {
      return;
    }
    for (int part = cohorts.firstOfRequest(cohort);
        part != Cohorts.NONE;
        part = cohorts.nextOfRequest(part)) {
      if (count == parts.length) {
        parts = Arrays.copyOf(parts, 2 * count);
      }
      parts[count++] = part;
    }
  }

  /**
   * Marks what is left of the prompt, after the request has used its own blocks.
   *
   * @param known the leading blocks of the request that were known
   */
  void mark(int known) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      left += cohorts.isOf(parts[i], request) ? cohorts.blocks(parts[i]) : 0;
    }
    if (left == 0 || left > known) {
      return;
    }
    for (int i = 0; i < count; i++) {
      int part = parts[i];
      if (cohorts.isOf(part, request)) {
        cohorts.blockClass(part, BlockClass.supersede(cohorts.blockClass(part)));
      }
    }
  }
}
