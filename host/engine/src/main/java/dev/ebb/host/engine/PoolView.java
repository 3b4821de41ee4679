package dev.ebb.host.engine;

import dev.ebb.host.device.Device;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import dev.ebb.host.engine.sequence.Inspection;
import dev.ebb.host.pool.BlockMemory;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.KvLayout;

/** An operator's view of one pool of an {@link Ebb}. */
public final class PoolView {

  private final Engine engine;
  private final DevicePartition partition;

  PoolView(Engine engine, DevicePartition partition) {
    this.engine = engine;
    this.partition = partition;
  }

  public KvLayout layout() {
    return partition.layout();
  }

  public Device device() {
    return partition.pool.device();
  }

  /** Returns the bytes of the blocks, for engines. Those of open sequences stay in place. */
  public BlockMemory memory() {
    return partition.pool.memory();
  }

  public PoolReport report() {
    return engine.locked(() -> Inspection.report(engine, partition));
  }

  public PoolMap map() {
    return engine.locked(() -> Inspection.map(engine, partition));
  }

  /**
   * Compacts the pool manually, in one slice that moves only blocks outside open sequences,
   * whatever its fragmentation.
   *
   * @param maxBytes stops before more bytes than these are moved, but not before one allocation is;
   *     0 or more
   */
  public CompactionReport defrag(long maxBytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException(
          "bytes to move '%d' must be 0 or more".formatted(maxBytes));
    }
    return partition.movement.inBackground(0, maxBytes);
  }
}
