package dev.ebb.host.engine;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.errors.UserError;
import java.util.List;

/** What an operator sees and may do of a running {@link Ebb}: its pools, and moves between them. */
public final class EngineView {

  private final Engine engine;
  private final List<PoolView> pools;

  EngineView(Engine engine) {
    this.engine = engine;
    pools = engine.partitions.stream().map(partition -> new PoolView(engine, partition)).toList();
  }

  /**
   * The pools.
   *
   * @return one for each device, in the order in which they were opened
   */
  public List<PoolView> pools() {
    return pools;
  }

  /**
   * The pool on a device.
   *
   * @param device the device's name
   * @return the pool
   * @throws UserError if there is no such device; says which there are
   */
  public PoolView pool(String device) {
    return pools.stream()
        .filter(pool -> pool.device().name().equals(device))
        .findFirst()
        .orElseThrow(() -> engine.devices().unknown(device));
  }

  /**
   * Moves that have been started and are neither complete nor cancelled.
   *
   * @return oldest first
   */
  public List<SequenceMigration> migrations() {
    return engine.migrations.underWay();
  }

  /**
   * A move that is under way.
   *
   * @param id its number
   * @return the move, to be run on
   * @throws UserError if there is none of this number
   */
  public SequenceMigration migration(long id) {
    return migrations().stream()
        .filter(migration -> migration.id() == id)
        .findFirst()
        .orElseThrow(() ->
            new UserError(
                "no migration '%d' is under way; these are: %s"
                    .formatted(id, migrations().stream().map(SequenceMigration::id).toList())));
  }

  /**
   * Starts to move an open sequence to another device. Nothing is copied yet.
   *
   * @param sequence its number, as in a {@link PoolReport}
   * @param device where it is to go
   * @param checksum whether each copy is read back and compared
   * @return the move, to be run
   * @throws UserError if there is no such sequence or device, or it is there already
   * @throws DeviceException if the device is lost
   * @throws OutOfBlocksException if the device has no room for it
   * @throws IllegalStateException if an access is open, or a migration under way
   */
  public SequenceMigration migrate(long sequence, String device, boolean checksum) {
    return engine.locked(() -> {
      Sequence found =
          engine.sequences.stream()
              .filter(open -> open.id == sequence)
              .findFirst()
              .orElseThrow(() ->
                  new UserError(
                      "no sequence '%d' is open; the pool's report lists those that are"
                          .formatted(sequence)));
      return engine.migrations.start(found, device, checksum);
    });
  }

  /**
   * Starts to move blocks to another device, each with the sequence or the cached prefix that it
   * belongs to. Nothing is copied yet.
   *
   * @param blocks block numbers, as in a {@link PoolMap}; 0 or larger
   * @param from the device they are on
   * @param device where they are to go
   * @param checksum whether each copy is read back and compared
   * @return the moves, to be run: all of them start, or none
   * @throws UserError if there is no such device, or a block is free or has no owner yet
   * @throws DeviceException if a device is lost
   * @throws OutOfBlocksException if the device has no room for them
   * @throws IllegalStateException if an access is open, or a migration under way
   */
  public List<SequenceMigration> migrateBlocks(
      int[] blocks, String from, String device, boolean checksum) {
    DevicePartition source = engine.devices().named(from);
    return engine.locked(() -> new BlockMigration(engine, source).start(blocks, device, checksum));
  }
}
