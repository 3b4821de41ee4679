package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.pool.runs.RunAllocator;
import dev.ebb.host.units.ByteSize;

/**
 * The shape of a model's KV cache. A block holds K and V of {@code blockTokens} consecutive tokens
 * for the lanes of one group: {@code [lane][K|V][token][headDim]}. A lane is one KV head of one
 * layer.
 *
 * @param layers attention layers, at least 1
 * @param kvHeads KV heads in a layer, at least 1
 * @param headDim elements of one head, at least 1
 * @param blockTokens tokens in a block, at least 1
 * @param laneGroups groups of equal size into which the {@code layers * kvHeads} lanes are divided,
 *     at least 1. The lanes of a group share one length and one block table
 */
public record KvLayout(
    int layers, int kvHeads, int headDim, int blockTokens, DType dtype, int laneGroups) {

  /** The default number of tokens in a block. */
  public static final int DEFAULT_BLOCK_TOKENS = 16;

  /**
   * Checks the shape.
   *
   * @throws IllegalArgumentException if a number is not positive, the lanes cannot be divided
   *     evenly or a block of all groups has 2 GiB or more
   */
  public KvLayout {
    atLeastOne("layers", layers);
    atLeastOne("KV heads", kvHeads);
    atLeastOne("head dimension", headDim);
    atLeastOne("block tokens", blockTokens);
    atLeastOne("lane groups", laneGroups);
    requireNonNull(dtype, "dtype is null");
    try {
      int lanes = Math.multiplyExact(layers, kvHeads);
      if (lanes % laneGroups != 0) {
        throw new IllegalArgumentException(
            "'%d' lanes cannot be divided evenly into '%d' lane groups"
                .formatted(lanes, laneGroups));
      }
      int row = Math.multiplyExact(headDim, dtype.bytes());
      int lane = Math.multiplyExact(Math.multiplyExact(2, blockTokens), row);
      Math.multiplyExact(lanes, lane);
    } catch (ArithmeticException overflow) {
      throw new IllegalArgumentException(
          "a block of '%d' layers x '%d' KV heads x '%d' elements x '%d' tokens must be smaller than 2 GiB; take fewer block tokens"
              .formatted(layers, kvHeads, headDim, blockTokens),
          overflow);
    }
  }

  /** Creates a layout with one lane group. */
  public KvLayout(int layers, int kvHeads, int headDim, int blockTokens, DType dtype) {
    this(layers, kvHeads, headDim, blockTokens, dtype, 1);
  }

  /** Returns the number of lanes in a block. */
  public int lanes() {
    return layers * kvHeads / laneGroups;
  }

  /** Returns the size of one token's K, or V, in one lane. */
  public int rowBytes() {
    return headDim * dtype.bytes();
  }

  /** Returns the size of one token's K and V in all lanes of all groups. */
  public int tokenBytes() {
    return 2 * layers * kvHeads * rowBytes();
  }

  /** Returns the size of one block of one group. */
  public int blockBytes() {
    return 2 * lanes() * blockTokens * rowBytes();
  }

  /**
   * Returns the number of blocks that a sequence needs in all groups.
   *
   * @param tokens the sequence's length, 0 or more
   * @throws ArithmeticException if there are 2^63 or more
   */
  public long blocksFor(long tokens) {
    if (tokens < 0) {
      throw new IllegalArgumentException("tokens '%d' is negative".formatted(tokens));
    }
    return Math.multiplyExact(Math.ceilDiv(tokens, blockTokens), (long) laneGroups);
  }

  /**
   * Returns the number of blocks in a pool.
   *
   * @param bytes the pool's size; a partial block is not used
   * @return blocks, at least 1
   * @throws DeviceException if there would be none, or more than a pool can have
   */
  int poolBlocks(long bytes) {
    long blocks = bytes / blockBytes();
    if (blocks < 1 || blocks > RunAllocator.MAX_BLOCKS) {
      throw new DeviceException(
          "a pool of '%s' would have '%d' blocks of %s, but needs 1 to %d; change the tokens of a block, or the memory: ebb.pool.size, for engines in other processes ebb.server.sequences.memory"
              .formatted(
                  ByteSize.format(bytes),
                  blocks,
                  ByteSize.format(blockBytes()),
                  RunAllocator.MAX_BLOCKS));
    }
    return (int) blocks;
  }

  /**
   * Returns the memory that a sequence needs.
   *
   * @param tokens the sequence's length, 0 or more
   * @throws ArithmeticException if there are 2^63 or more
   */
  public long sequenceBytes(long tokens) {
    return Math.multiplyExact(blocksFor(tokens), (long) blockBytes());
  }

  /**
   * Returns the position of a row in a block.
   *
   * @param lane the lane within its group
   * @param value false for K, true for V
   * @param token the token within the block
   * @return bytes from the block's beginning
   */
  public int rowOffset(int lane, boolean value, int token) {
    if (lane < 0 || lane >= lanes() || token < 0 || token >= blockTokens) {
      throw new IndexOutOfBoundsException(
          "lane '%d' must be from 0 to %d, token '%d' from 0 to %d"
              .formatted(lane, lanes() - 1, token, blockTokens - 1));
    }
    return ((lane * 2 + (value ? 1 : 0)) * blockTokens + token) * rowBytes();
  }

  private static void atLeastOne(String what, int number) {
    if (number < 1) {
      throw new IllegalArgumentException("%s '%d' must be at least 1".formatted(what, number));
    }
  }
}
