package dev.ebb.host.cache;

/**
 * The blocks of a request for which space is needed, and which the policy may decide not to admit.
 */
final class Newcomer {

  final CacheRequest request;
  private final int first;
  private final boolean prefix;

  /** Whether the policy has decided against one of the blocks, and so against those after it. */
  boolean rejected;

  private Newcomer(CacheRequest request, int first, boolean prefix) {
    this.request = request;
    this.first = first;
    this.prefix = prefix;
  }

  /**
   * Returns the blocks of a prompt.
   *
   * @param first the first one for which there is no space
   */
  static Newcomer prefix(CacheRequest request, int first) {
    return new Newcomer(request, first, true);
  }

  /** Returns a single object. */
  static Newcomer object(RequestFacts facts, long keyLow, long keyHigh) {
    return new Newcomer(
        CacheRequest.report(facts, new long[] {keyLow, keyHigh}, new int[] {1}, 0), 0, false);
  }

  /** Returns a copy whose request no longer changes, for a policy on a thread of its own. */
  Newcomer frozen() {
    return prefix ? new Newcomer(request.frozen(), first, true) : this;
  }

  /**
   * Returns the first block without space.
   *
   * @param freed blocks evicted so far on its behalf
   */
  int index(long freed) {
    return prefix ? (int) Math.min(first + freed, request.blocks() - 1L) : 0;
  }
}
