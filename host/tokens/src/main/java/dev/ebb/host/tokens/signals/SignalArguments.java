package dev.ebb.host.tokens.signals;

import java.lang.foreign.MemorySegment;

/** Argument checks shared by every implementation of {@link SignalKernels}. */
public final class SignalArguments {

  private SignalArguments() {}

  /** Checks the arguments of {@link SignalKernels#windowAttention}. */
  public static void ofWindow(
      LayerKeys keys, int queryHeads, int window, MemorySegment queries, MemorySegment scores) {
    if (queryHeads < 1 || queryHeads % keys.kvHeads() != 0) {
      throw new IllegalArgumentException(
          "query heads '%d' must be a multiple of the %d KV heads"
              .formatted(queryHeads, keys.kvHeads()));
    }
    if (window < 1 || window > keys.length()) {
      throw new IllegalArgumentException(
          "window '%d' must be from 1 to the length %d".formatted(window, keys.length()));
    }
    long rows = (long) queryHeads * window;
    requireFloats("queries", queries, rows * keys.layout().headDim());
    requireFloats("scores", scores, rows * keys.length());
  }

  /** Checks the arguments of {@link SignalKernels#keyNorms}. */
  public static void ofNorms(LayerKeys keys, int first, int count, MemorySegment norms) {
    keys.requireTokens(first, count);
    requireFloats("norms", norms, (long) keys.kvHeads() * count);
  }

  /** Checks the arguments of {@link SignalKernels#addToKeyMean}. */
  public static void ofMean(LayerKeys keys, int first, int count, long seen, MemorySegment mean) {
    keys.requireTokens(first, count);
    if (seen < 0) {
      throw new IllegalArgumentException("seen tokens '%d' must be at least 0".formatted(seen));
    }
    requireFloats("mean", mean, (long) keys.kvHeads() * keys.layout().headDim());
  }

  private static void requireFloats(String what, MemorySegment segment, long floats) {
    if (segment.byteSize() != floats * Float.BYTES) {
      throw new IllegalArgumentException(
          "%s of '%d' bytes must be %d".formatted(what, segment.byteSize(), floats * Float.BYTES));
    }
  }
}
