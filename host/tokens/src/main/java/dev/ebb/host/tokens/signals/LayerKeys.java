package dev.ebb.host.tokens.signals;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;

/**
 * The keys of one layer of one sequence, or its values, as they lie in a slab. Reused from layer to
 * layer: valid during a call only.
 */
public final class LayerKeys {

  private KeyShape shape;
  private int[] blocks;
  private int blockCount;
  private int firstLane;
  private int kvHeads;
  private int length;
  private boolean values;

  /**
   * Creates a view of keys.
   *
   * @param blocks the block table, in the order of its tokens
   * @throws IllegalArgumentException if the block has no such lanes or the table is too short
   */
  public LayerKeys(KeyShape shape, int[] blocks, int firstLane, int kvHeads, int length) {
    this.shape = requireNonNull(shape, "shape is null");
    this.blocks = blocks.clone();
    show(this.blocks, blocks.length, firstLane, kvHeads, length);
  }

  /** Returns a copy that shows the values; every computation on keys works on values. */
  public LayerKeys values() {
    LayerKeys beside = new LayerKeys(shape, blocks, firstLane, kvHeads, length);
    beside.showValues(true);
    return beside;
  }

  LayerKeys(KeyShape shape) {
    this.shape = shape;
    blocks = new int[0];
  }

  void showHead(LayerKeys of, int head) {
    shape = of.shape;
    values = of.values;
    show(of.blocks, of.blockCount, of.firstLane + head, 1, of.length);
  }

  /** Shows other keys of the same shape, by a block table that is not copied. */
  void show(int[] table, int count, int lane, int heads, int tokens) {
    blocks = table;
    blockCount = count;
    firstLane = lane;
    kvHeads = heads;
    length = tokens;
    if (lane < 0 || heads < 1 || lane > shape.lanes() - heads) {
      throw new IllegalArgumentException(
          "lanes '%d' to '%d' must lie within the block's %d"
              .formatted(lane, lane + heads - 1, shape.lanes()));
    }
    if (tokens < 0 || tokens > (long) count * shape.blockTokens()) {
      throw new IllegalArgumentException(
          "length '%d' must be from 0 to the %d tokens of %d blocks"
              .formatted(tokens, (long) count * shape.blockTokens(), count));
    }
  }

  void showValues(boolean shown) {
    values = shown;
  }

  /**
   * Returns the bytes from a block's first key to the first row shown; 0 unless these are values.
   */
  public long shift() {
    return values ? (long) shape.blockTokens() * shape.rowBytes() : 0;
  }

  public KeyShape shape() {
    return shape;
  }

  public int[] blocks() {
    return Arrays.copyOf(blocks, blockCount);
  }

  public int firstLane() {
    return firstLane;
  }

  public int kvHeads() {
    return kvHeads;
  }

  public int length() {
    return length;
  }

  /**
   * Returns the address of a key.
   *
   * @param head the KV head, counted from the layer's first
   * @param token its position in the table
   * @return an offset into the slab, in bytes
   */
  public long offset(int head, int token) {
    int tokens = shape.blockTokens();
    long row = 2L * (firstLane + head) * tokens + token % tokens;
    return blocks[token / tokens] * shape.blockBytes() + row * shape.rowBytes() + shift();
  }

  /** Refuses a table that is not within a slab, with {@link IndexOutOfBoundsException}. */
  public void requireWithin(long slabBytes) {
    long slabBlocks = slabBytes / shape.blockBytes();
    for (int i = 0; i < blockCount; i++) {
      int block = blocks[i];
      if (block < 0 || block >= slabBlocks) {
        throw new IndexOutOfBoundsException(
            "block '%d' is not in the slab, which has %d blocks".formatted(block, slabBlocks));
      }
    }
  }

  /** Refuses tokens that the sequence does not have, with {@link IndexOutOfBoundsException}. */
  public void requireTokens(int first, int count) {
    if (first < 0 || count < 0 || first > length - count) {
      throw new IndexOutOfBoundsException(
          "token range %d+%d exceeds the sequence length %d".formatted(first, count, length));
    }
  }
}
