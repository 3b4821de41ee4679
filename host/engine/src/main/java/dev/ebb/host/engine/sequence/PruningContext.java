package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.Slab;
import dev.ebb.host.engine.pool.PageTable;
import dev.ebb.host.engine.prune.AvailableMemory;
import dev.ebb.host.tokens.signals.FastSignals;
import dev.ebb.host.tokens.signals.SignalKernels;
import dev.ebb.host.tokens.signals.SignalSlab;
import dev.ebb.host.tokens.signals.StoredKeys;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The state of a device for pruning, created once: available memory, whether its pool is full, and
 * the keys. For one thread at a time.
 */
final class PruningContext {

  private final DevicePartition partition;
  private final LongSupplier available;
  private final BooleanSupplier pressed;
  private final StoredKeys keys;

  PruningContext(DevicePartition partition) {
    this.partition = partition;
    available = new AvailableMemory(partition.pool.device().memory())::bytes;
    pressed = partition::pressed;
    Slab slab = partition.pool.memory().slab();
    keys = new StoredKeys(partition.layout(), slab, () -> kernels(slab));
  }

  private static SignalKernels kernels(Slab slab) {
    return slab instanceof SignalSlab card
        ? card.signals()
        : new FastSignals(slab.segment().orElseThrow());
  }

  DevicePartition partition() {
    return partition;
  }

  LongSupplier available() {
    return available;
  }

  /** Returns whether the pool would be too full even without its evictable blocks. */
  BooleanSupplier pressed() {
    return pressed;
  }

  /** Returns a sequence's keys, as long as it is in use. */
  StoredKeys keys(PageTable table) {
    keys.show(table.blocks(), table.counts());
    return keys;
  }
}
