package dev.ebb.host.engine.tier;

import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.segment.SegmentHeader;
import dev.ebb.host.segment.SegmentHeader.Shape;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;

/**
 * A preempted sequence whose K and V are on a server: a segment, in values of limited size.
 *
 * @param key the beginning of the values' keys, used once
 * @param shape that of its full blocks
 * @param pages how many these are
 * @param low the first half of the last block's key
 * @param high the second half
 */
public record OffloadedSequence(String key, Shape shape, int pages, long low, long high) {

  /** The largest value: a server limits them, and moves each to a node that has room. */
  public static final int LARGEST_PART = 64 << 20;

  public int tokens() {
    return shape.tokens();
  }

  public long bytes() {
    return SegmentHeader.BYTES + shape.bytes();
  }

  public byte[][] keys() {
    int parts = Math.toIntExact(Math.ceilDiv(bytes(), LARGEST_PART));
    return IntStream.range(0, parts).mapToObj(this::key).toArray(byte[][]::new);
  }

  byte[] key(int part) {
    return (key + ":" + part).getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the size of a part that begins at an offset. */
  long part(long offset) {
    return Math.min(LARGEST_PART, bytes() - offset);
  }

  /** Returns whether a sequence with these keys begins with its tokens. */
  public boolean begins(KeyChain chain) {
    return chain.blocks() >= pages && chain.low(pages - 1) == low && chain.high(pages - 1) == high;
  }
}
