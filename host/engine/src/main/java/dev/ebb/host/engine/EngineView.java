package dev.ebb.host.engine;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import dev.ebb.host.engine.sequence.SequenceMigration;
import dev.ebb.host.errors.UserError;
import java.util.List;

/** An operator's view of a running {@link Ebb}: its pools, and the migrations between them. */
public final class EngineView {

  private final Engine engine;
  private final List<PoolView> pools;
  private final CachedBlocks blocks;

  public EngineView(Engine engine) {
    this.engine = engine;
    pools = engine.partitions.stream().map(partition -> new PoolView(engine, partition)).toList();
    blocks = new CachedBlocks(engine);
  }

  /** Returns one pool view for each device, in the order in which they were opened. */
  public List<PoolView> pools() {
    return pools;
  }

  public CachedBlocks blocks() {
    return blocks;
  }

  /**
   * Returns the pool on a device.
   *
   * @throws UserError if there is no such device; the message lists the existing ones
   */
  public PoolView pool(String device) {
    return pools.stream()
        .filter(pool -> pool.device().name().equals(device))
        .findFirst()
        .orElseThrow(() -> engine.devices.unknown(device));
  }

  /** Returns the active migrations, oldest first. */
  public List<SequenceMigration> migrations() {
    return engine.migrations.underWay();
  }

  /**
   * Starts to move an open sequence to another device. Nothing is copied yet.
   *
   * @param sequence its number, as in a {@link PoolReport}
   * @throws UserError if there is no such sequence or device, or it is there already
   * @throws DeviceException if the device is lost
   * @throws OutOfBlocksException if the device has no room for it
   * @throws IllegalStateException if an access is open, or a migration is active
   */
  public SequenceMigration migrate(long sequence, String device, boolean checksum) {
    return engine.migrations.start(sequence, device, checksum);
  }

  /**
   * Starts to move blocks to another device, each with the sequence or the cached prefix that it
   * belongs to. Nothing is copied yet.
   *
   * @param blocks block numbers, as in a {@link PoolMap}; 0 or larger
   * @return the migrations, to be run: all of them start, or none
   * @throws UserError if there is no such device, or a block is free or has no owner yet
   * @throws DeviceException if a device is lost
   * @throws OutOfBlocksException if the device has no room for them
   * @throws IllegalStateException if an access is open, or a migration is active
   */
  public List<SequenceMigration> migrateBlocks(
      int[] blocks, String from, String device, boolean checksum) {
    DevicePartition source = engine.devices.named(from);
    return engine.migrations.startBlocks(source, blocks, device, checksum);
  }
}
