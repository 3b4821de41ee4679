package dev.ebb.host.replay.fit;

import java.util.Comparator;
import java.util.List;

/**
 * The statistics of a trace that decide the hits of a prefix cache: sizes, distances and times,
 * without ids, texts or labels.
 *
 * @param requests requests, those without blocks included
 * @param gaps microseconds from one request to the next
 * @param outputTokens lengths of the answers; empty if not known
 * @param promptBlocks lengths of the prompts
 * @param sharedBlocks leading blocks that an earlier request had too, of requests that have some
 * @param distances reuse distances of the last of them, in blocks
 * @param reuseMillis milliseconds since its last use
 * @param addedBlocks blocks of a request that no request had before
 * @param unsharedTokens lengths of the prompts without blocks, in tokens
 * @param classes the requests by all of this together
 */
public record ReuseProfile(
    long requests,
    int blockTokens,
    LogHistogram gaps,
    LogHistogram outputTokens,
    LogHistogram promptBlocks,
    LogHistogram sharedBlocks,
    LogHistogram distances,
    LogHistogram reuseMillis,
    LogHistogram addedBlocks,
    LogHistogram unsharedTokens,
    List<RequestClass> classes) {

  public ReuseProfile {
    classes = List.copyOf(classes);
  }

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
}
