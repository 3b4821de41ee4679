package dev.ebb.host.tokens.signals;

import dev.ebb.host.device.Slab;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one sequence, as long as its blocks stay in place; then those of the next. For one
 * thread.
 */
public final class StoredKeys {

  private final KvLayout layout;
  private final Slab slab;
  private final @Nullable MemorySegment memory;
  private final Supplier<SignalKernels> maker;
  private final @Nullable LayerKeys part;
  private final MemorySegment fetched;
  private @Nullable SignalKernels kernels;
  private int[][] tables = {};
  private int[] pages = {};

  /** Creates a view that shows nothing; kernels are created when needed. */
  public StoredKeys(KvLayout layout, Slab slab, Supplier<SignalKernels> kernels) {
    this.layout = layout;
    this.slab = slab;
    memory = slab.segment().orElse(null);
    maker = kernels;
    part = DType.computable().contains(layout.dtype()) ? new LayerKeys(layout) : null;
    fetched = MemorySegment.ofArray(new byte[layout.rowBytes()]);
  }

  /**
   * Shows a sequence.
   *
   * @param blocks the blocks of each lane group, not copied
   * @param counts how many blocks each has, not copied
   */
  public void show(int[][] blocks, int[] counts) {
    tables = blocks;
    pages = counts;
  }

  public KvLayout layout() {
    return layout;
  }

  SignalKernels kernels() {
    SignalKernels known = kernels;
    if (known == null) {
      known = maker.get();
      kernels = known;
    }
    return known;
  }

  /**
   * Returns the keys of adjacent heads of one layer that have the same length and the same blocks.
   * The next call changes them.
   */
  LayerKeys part(int layer, int firstHead, int heads, int length) {
    LayerKeys keys = part;
    if (keys == null) {
      throw new IllegalStateException(
          "Ebb cannot compute with elements of type '%s'".formatted(layout.dtype()));
    }
    int lane = layer * layout.kvHeads() + firstHead;
    int group = lane / layout.lanes();
    int within = lane % layout.lanes();
    keys.showValues(false);
    keys.show(
        tables[group], pages[group], within, Math.min(heads, layout.lanes() - within), length);
    return keys;
  }

  LayerKeys values(int layer, int firstHead, int heads, int length) {
    LayerKeys values = part(layer, firstHead, heads, length);
    values.showValues(true);
    return values;
  }

  void read(LayerKeys keys, int head, int row, float[] out, int at, short[] scratch) {
    long offset = keys.offset(head, row);
    if (memory != null) {
      layout.dtype().read(memory, offset, out, at, scratch);
    } else {
      slab.read(offset, fetched);
      layout.dtype().read(fetched, 0, out, at, scratch);
    }
  }
}
