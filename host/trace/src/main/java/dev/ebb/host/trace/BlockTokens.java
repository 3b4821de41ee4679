package dev.ebb.host.trace;

import org.jspecify.annotations.Nullable;

/**
 * Infers how many tokens a trace's blocks hold. A request of L tokens in n blocks leaves the sizes
 * for which n = ceil(L / size); more requests leave fewer. If none is left, the trace may list full
 * blocks only: then n = floor(L / size).
 *
 * <p>The answer is a power of two if one is left, otherwise the smallest size left. If the requests
 * contradict each other, the first request of two blocks or more decides: L / n, rounded up to a
 * power of two. Requests without tokens or blocks are ignored.
 */
public final class BlockTokens {

  /** The result of {@link #tokens()} without a usable request. */
  public static final long UNKNOWN = 0;

  private final Sizes all = new Sizes();
  private final Sizes full = new Sizes();
  private long guess = UNKNOWN;
  private boolean known;

  /** The sizes that are left. */
  private static final class Sizes {
    private long least = 1;
    private long most = Long.MAX_VALUE;

    void limit(long from, long to) {
      least = Math.max(least, from);
      most = Math.min(most, to);
    }

    boolean none() {
      return least > most;
    }

    long best() {
      long power = powerOfTwoFrom(least);
      return power <= most ? power : least;
    }

    @Nullable String doubt() {
      if (most == Long.MAX_VALUE) {
        return "is uncertain: no request has two blocks, so %,d or more fit".formatted(least);
      }
      boolean onePower = best() == powerOfTwoFrom(least) && 2 * best() > most;
      return least == most || onePower
          ? null
          : "is uncertain: %,d to %,d fit the requests".formatted(least, most);
    }
  }

  /** Creates an inference without data. */
  public BlockTokens() {}

  /** Infers the block size of a whole trace, and reads it only until one size is left. */
  public static BlockTokens of(DecodedTrace trace) {
    BlockTokens inference = new BlockTokens();
    for (int request = 0; request < trace.requests() && !inference.decided(); request++) {
      inference.observe(
          trace.inputTokens(request), (long) trace.start(request + 1) - trace.start(request));
    }
    return inference;
  }

  /** Learns from one more request, for traces that are read only once. */
  public void observe(TraceRequest request) {
    observe(request.inputTokens(), request.blocks());
  }

  private void observe(long tokens, long blocks) {
    if (tokens <= 0 || blocks <= 0) {
      return;
    }
    known = true;
    all.limit(
        Math.ceilDiv(tokens, blocks),
        blocks == 1 ? Long.MAX_VALUE : Math.ceilDiv(tokens, blocks - 1) - 1);
    full.limit(tokens / (blocks + 1) + 1, tokens / blocks);
    if (blocks > 1 && guess == UNKNOWN) {
      guess = powerOfTwoFrom(Math.ceilDiv(tokens, blocks));
    }
  }

  /** Returns whether more requests cannot change the answer, unless they contradict these. */
  private boolean decided() {
    return all.least == all.most || (all.none() && full.least >= full.most);
  }

  /**
   * Returns the best answer so far.
   *
   * @return tokens, or {@link #UNKNOWN}
   */
  public long tokens() {
    if (!known) {
      return UNKNOWN;
    }
    if (!all.none()) {
      return all.best();
    }
    return full.none() ? guess : full.best();
  }

  /**
   * Returns why the answer may be wrong: no request tells, requests contradict each other, or more
   * than one common size is left.
   *
   * @return the end of a sentence about the size, or null if it is certain enough
   */
  public @Nullable String doubt() {
    if (!known) {
      return "is a guess: no request has both tokens and blocks";
    }
    if (all.none() && full.none()) {
      return "is a guess: the lengths of the requests contradict each other";
    }
    return (all.none() ? full : all).doubt();
  }

  private static long powerOfTwoFrom(long tokens) {
    return tokens <= 1 ? 1 : Long.highestOneBit(tokens - 1) << 1;
  }
}
