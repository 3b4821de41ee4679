package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.BlockMoves;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The compaction of one pool. Thread-safe. */
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
   * @param listener called for every compaction
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

  void moved(BlockMoves moves) {
    listeners.forEach(listener -> listener.moved(moves));
  }
}
