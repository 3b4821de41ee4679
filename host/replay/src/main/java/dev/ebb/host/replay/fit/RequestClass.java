package dev.ebb.host.replay.fit;

import java.util.Comparator;

/**
 * Requests with similar reuse. All fields but the count are steps of a {@link LogHistogram}.
 *
 * @param shared blocks that an earlier request had too; 0 for none
 * @param distance the reuse distance of the last of them, in blocks
 * @param reused leading blocks of its last user that a later request used too
 * @param uses how many requests had used that block before
 * @param left blocks of its last user behind that block
 * @param added blocks behind it that no request had before
 */
record RequestClass(
    int shared, int distance, int reused, int uses, int left, int added, long count) {

  static final Comparator<RequestClass> ORDER =
      Comparator.comparingInt(RequestClass::shared)
          .thenComparingInt(RequestClass::distance)
          .thenComparingInt(RequestClass::reused)
          .thenComparingInt(RequestClass::uses)
          .thenComparingInt(RequestClass::left)
          .thenComparingInt(RequestClass::added);

  /** Returns whether its requests have blocks, and share none. */
  boolean isNew() {
    return shared == 0 && added > 0;
  }

  RequestClass withCount(long requests) {
    return new RequestClass(shared, distance, reused, uses, left, added, requests);
  }
}
