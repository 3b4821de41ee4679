package dev.ebb.host.signals;

import dev.ebb.host.device.Slab;
import dev.ebb.host.pool.KvLayout;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Supplier;

/** Where a sequence's keys lie, for as long as its blocks stay where they are. */
public final class StoredKeys {

  private final KvLayout layout;
  private final Slab slab;
  private final Supplier<SignalKernels> kernels;
  private final int[][] tables;

  /**
   * Where the keys are.
   *
   * @param layout the shape of a block
   * @param slab the device's memory
   * @param kernels what computes over it, asked for when it is needed
   * @param tables the blocks of each lane group, not copied
   */
  public StoredKeys(KvLayout layout, Slab slab, Supplier<SignalKernels> kernels, int[]... tables) {
    this.layout = layout;
    this.slab = slab;
    this.kernels = kernels;
    this.tables = tables;
  }

  /**
   * The shape of a block.
   *
   * @return the layout
   */
  public KvLayout layout() {
    return layout;
  }

  SignalKernels kernels() {
    return kernels.get();
  }

  /** Some heads of a layer that lie in the same blocks. */
  interface Part {
    /**
     * Does something with the keys.
     *
     * @param keys the keys
     * @param head the first head, counted from the first that was asked for
     */
    void at(LayerKeys keys, int head);
  }

  /** Visits the keys of heads of one layer that all have the same length. */
  void parts(int layer, int firstHead, int heads, int length, Part user) {
    KeyShape shape =
        new KeyShape(layout.lanes(), layout.blockTokens(), layout.headDim(), layout.dtype());
    int head = 0;
    while (head < heads) {
      int lane = layer * layout.kvHeads() + firstHead + head;
      int within = lane % layout.lanes();
      int count = Math.min(heads - head, layout.lanes() - within);
      user.at(new LayerKeys(shape, tables[lane / layout.lanes()], within, count, length), head);
      head += count;
    }
  }

  /** Reads one key into single precision. */
  void read(LayerKeys keys, int head, int row, float[] out, int at, short[] scratch) {
    Optional<MemorySegment> memory = slab.segment();
    long offset = keys.offset(head, row);
    if (memory.isPresent()) {
      layout.dtype().read(memory.get(), offset, out, at, scratch);
    } else {
      MemorySegment fetched = MemorySegment.ofArray(new byte[layout.rowBytes()]);
      slab.read(offset, fetched);
      layout.dtype().read(fetched, 0, out, at, scratch);
    }
  }
}
