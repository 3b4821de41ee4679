package dev.ebb.host.cache.index;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How strongly a client asks to keep the blocks of its request, and until when. Immutable, and
 * shared by all entries of the request.
 *
 * @param scope the claim that it belongs to: a later one of the same scope replaces it; empty for
 *     one of its own
 * @param startNanos when its durations begin, by the cache's clock
 * @param ranges parts of the chain; of two that share a block, the stronger one counts
 */
public record Retention(String scope, long startNanos, List<Range> ranges) {

  /** The strength of a block that will not be needed soon. */
  public static final int DEMOTED = -1;

  /** The strength of a block without a claim. */
  public static final int NONE = 0;

  public static final int STRONGEST = 100;

  /** The duration of a claim that does not end. */
  public static final long FOREVER = Long.MAX_VALUE;

  private static final Range ELSEWHERE = new Range(0, 0, NONE, FOREVER);

  /**
   * A part of a chain.
   *
   * @param from its first block, 0 for the first one of the chain
   * @param to the block behind its last one
   * @param strength 1 to {@value #STRONGEST}, {@value #NONE} to end a claim, or {@value #DEMOTED}
   * @param durationNanos how long it counts, or {@link #FOREVER}
   */
  public record Range(int from, int to, int strength, long durationNanos) {

    boolean covers(int depth) {
      return from <= depth && depth < to;
    }
  }

  public Retention {
    ranges = List.copyOf(ranges);
  }

  public Retention startingAt(long nanos) {
    return new Retention(scope, nanos, ranges);
  }

  /** Returns one of ranges of tokens as one of ranges of blocks. */
  public Retention inBlocks(int blockTokens) {
    return new Retention(
        scope,
        startNanos,
        ranges.stream()
            .map(range ->
                new Range(
                    range.from / blockTokens,
                    Math.ceilDiv(range.to, blockTokens),
                    range.strength,
                    range.durationNanos))
            .toList());
  }

  /** Returns the strength for a block, by its depth in the chain. */
  public int strength(int depth) {
    return at(depth).strength;
  }

  /** Returns when the strength for a block ends, by the cache's clock. */
  public long untilNanos(int depth) {
    long duration = at(depth).durationNanos;
    return duration >= FOREVER - Math.max(0, startNanos) ? FOREVER : startNanos + duration;
  }

  private Range at(int depth) {
    Range strongest = ELSEWHERE;
    for (Range range : ranges) {
      if (range.covers(depth) && (strongest == ELSEWHERE || range.strength > strongest.strength)) {
        strongest = range;
      }
    }
    return strongest;
  }

  private boolean covers(int depth) {
    return ranges.stream().anyMatch(range -> range.covers(depth));
  }

  /**
   * Returns the claim that a block has after a use: claims of other clients stay until they end, or
   * a stronger one comes.
   */
  static @Nullable Retention after(
      @Nullable Retention before, @Nullable Retention stated, int depth, long nowNanos) {
    Retention covering = stated != null && stated.covers(depth) ? stated : null;
    if (before == null || before.strength(depth) <= NONE || before.untilNanos(depth) <= nowNanos) {
      return covering;
    }
    if (covering == null) {
      return before;
    }
    boolean own = !covering.scope.isEmpty() && covering.scope.equals(before.scope);
    return own || covering.strength(depth) >= before.strength(depth) ? covering : before;
  }
}
