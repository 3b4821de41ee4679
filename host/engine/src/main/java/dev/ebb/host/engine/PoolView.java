package dev.ebb.host.engine;

import dev.ebb.host.device.Device;
import dev.ebb.host.pool.CompactionReport;
import dev.ebb.host.pool.KvLayout;

/** One pool under an {@link Ebb}, to look at and to tidy up. */
public final class PoolView {

  private final Engine engine;
  private final DevicePartition partition;

  PoolView(Engine engine, DevicePartition partition) {
    this.engine = engine;
    this.partition = partition;
  }

  /**
   * The shape of a block.
   *
   * @return the layout
   */
  public KvLayout layout() {
    return partition.layout();
  }

  /**
   * Where the pool is.
   *
   * @return the device
   */
  public Device device() {
    return partition.pool.device();
  }

  /**
   * What holds the memory.
   *
   * @return as of now
   */
  public PoolReport report() {
    return engine.locked(() -> Inspection.report(engine, partition));
  }

  /**
   * What each block is used for.
   *
   * @return as of now
   */
  public PoolMap map() {
    return engine.locked(() -> Inspection.map(engine, partition));
  }

  /**
   * Compacts the pool by hand, in one slice that moves only what no open sequence has. How
   * fragmented it is makes no difference.
   *
   * @param maxBytes stops before more bytes than these are moved, but not before one allocation is;
   *     0 or more
   * @return what was done
   */
  public CompactionReport defrag(long maxBytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException(
          "bytes to move '%d' must be 0 or more".formatted(maxBytes));
    }
    return partition.movement.inBackground(0, maxBytes);
  }
}
