package dev.ebb.host.engine;

import dev.ebb.host.device.Slab;
import dev.ebb.host.tokens.signals.FastSignals;
import dev.ebb.host.tokens.signals.SignalKernels;
import dev.ebb.host.tokens.signals.SignalSlab;
import dev.ebb.host.tokens.signals.StoredKeys;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * What pruning needs to know of a device, made once for it: how much memory is available, whether
 * its pool is full, and where keys lie. For one thread at a time.
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

  /** Bytes of the device's memory. */
  LongSupplier available() {
    return available;
  }

  /** Whether the pool is too full though all had left that may. */
  BooleanSupplier pressed() {
    return pressed;
  }

  /** Where a sequence's keys lie, as long as it is in use. */
  StoredKeys keys(PageTable table) {
    keys.show(table.blocks(), table.counts());
    return keys;
  }
}
