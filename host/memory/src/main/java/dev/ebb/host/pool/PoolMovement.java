package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The movement of one pool's blocks: compaction, and migration to other pools. Thread-safe. */
public final class PoolMovement {

  private final KvPool pool;
  private final int shortRun;
  private final List<MoveListener> listeners = new CopyOnWriteArrayList<>();

  PoolMovement(KvPool pool, int shortRun) {
    this.pool = pool;
    this.shortRun = shortRun;
  }

  /**
   * Registers a listener.
   *
   * @param listener called for every compaction and every migration from here
   */
  public void onMove(MoveListener listener) {
    listeners.add(requireNonNull(listener, "listener is null"));
  }

  /**
   * Lengthens free runs by moving blocks without pins, in one bounded slice. Between batches an
   * engine calls this itself; {@link BackgroundCompaction} does it in idle times.
   *
   * @param threshold stops when the fragmentation is at most this, 0 to 1
   * @param maxBytes stops before more bytes than these are moved, but not before one allocation is
   */
  public CompactionReport compact(double threshold, long maxBytes) {
    synchronized (pool.lock) {
      pool.checkOpen();
      return new Compactor(pool, shortRun).slice(threshold, maxBytes);
    }
  }

  /**
   * Makes one free run where the fewest bytes must move.
   *
   * @param count the run's length in blocks, at least 1
   * @return a report; {@link CompactionReport#largestFreeRun} says whether it worked
   */
  public CompactionReport makeRun(int count) {
    synchronized (pool.lock) {
      pool.checkOpen();
      return new Compactor(pool, count).makeRun();
    }
  }

  /**
   * Starts to move blocks, with their references, to another device. Nothing is copied yet. Not to
   * be called within {@link KvPool#atomically}: pin the blocks, start, unpin.
   *
   * @param blocks allocated blocks, none twice; they move once they have no pins
   * @param target a pool of the same layout
   * @param checksum whether each copy is read back and compared
   * @throws PoolFullException if the target has too few free blocks
   * @throws BlockMisuseException if a block is free or being migrated already
   */
  public Migration migrate(int[] blocks, KvPool target, boolean checksum) {
    return Migration.start(pool, blocks.clone(), target, checksum);
  }

  void moved(BlockRelocation moves) {
    listeners.forEach(listener -> listener.moved(moves));
  }
}
