package dev.ebb.host.tokens.signals;

import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import java.util.Arrays;

/**
 * The keys of one layer of one sequence, or its values, as they lie in a slab. Reused from layer to
 * layer: valid during a call only.
 */
public final class LayerKeys {

  /** The largest head dimension that the kernels' shared memory holds. */
  private static final int MAX_HEAD_DIM = 1024;

  private final KvLayout layout;
  private final int blockTokens;
  private final int rowBytes;
  private final long blockBytes;
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
   * @throws IllegalArgumentException if the block has no such lanes, the table is too short, or Ebb
   *     cannot compute with such keys
   */
  public LayerKeys(KvLayout layout, int[] blocks, int firstLane, int kvHeads, int length) {
    this(layout);
    show(blocks.clone(), blocks.length, firstLane, kvHeads, length);
  }

  /** Returns a copy that shows the values; every computation on keys works on values. */
  public LayerKeys values() {
    LayerKeys beside = new LayerKeys(layout, blocks, firstLane, kvHeads, length);
    beside.showValues(true);
    return beside;
  }

  LayerKeys(KvLayout layout) {
    if (layout.headDim() > MAX_HEAD_DIM || !DType.computable().contains(layout.dtype())) {
      throw new IllegalArgumentException(
          "head dimension '%d' must be at most %d, type '%s' one of %s"
              .formatted(layout.headDim(), MAX_HEAD_DIM, layout.dtype(), DType.computable()));
    }
    this.layout = layout;
    blockTokens = layout.blockTokens();
    rowBytes = layout.rowBytes();
    blockBytes = layout.blockBytes();
    blocks = new int[0];
  }

  /** Shows one head of other keys of the same layout. */
  void showHead(LayerKeys of, int head) {
    values = of.values;
    show(of.blocks, of.blockCount, of.firstLane + head, 1, of.length);
  }

  /** Shows other keys of the same layout, by a block table that is not copied. */
  void show(int[] table, int count, int lane, int heads, int tokens) {
    blocks = table;
    blockCount = count;
    firstLane = lane;
    kvHeads = heads;
    length = tokens;
    if (lane < 0 || heads < 1 || lane > layout.lanes() - heads) {
      throw new IllegalArgumentException(
          "lanes '%d' to '%d' must lie within the block's %d"
              .formatted(lane, lane + heads - 1, layout.lanes()));
    }
    if (tokens < 0 || tokens > (long) count * blockTokens) {
      throw new IllegalArgumentException(
          "length '%d' must be from 0 to the %d tokens of %d blocks"
              .formatted(tokens, (long) count * blockTokens, count));
    }
  }

  void showValues(boolean shown) {
    values = shown;
  }

  /**
   * Returns the bytes from a block's first key to the first row shown; 0 unless these are values.
   */
  public long shift() {
    return values ? (long) blockTokens * rowBytes : 0;
  }

  public KvLayout layout() {
    return layout;
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
    long row = 2L * (firstLane + head) * blockTokens + token % blockTokens;
    return blocks[token / blockTokens] * blockBytes + row * rowBytes + shift();
  }

  /** Refuses a table that is not within a slab, with {@link IndexOutOfBoundsException}. */
  public void requireWithin(long slabBytes) {
    long slabBlocks = slabBytes / blockBytes;
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
