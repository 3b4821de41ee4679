package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.EvictionLog;
import dev.ebb.host.cache.EvictionRecord;
import java.util.List;

/** A place in the log: where a reader goes on. For one thread at a time. */
public final class EvictionCursor {

  private final EvictionLog log;
  private long next;
  private long missed;

  private EvictionCursor(EvictionLog log, long next) {
    this.log = log;
    this.next = next;
  }

  /**
   * Only what leaves from now on.
   *
   * @param log what has left
   * @return a cursor at its end
   */
  public static EvictionCursor atEnd(EvictionLog log) {
    return new EvictionCursor(log, log.written());
  }

  /**
   * Returns a place that was {@link #next} once.
   *
   * @param log what has left
   * @param next 0 or more
   * @return a cursor there; at the end if the log has not come so far
   */
  public static EvictionCursor at(EvictionLog log, long next) {
    return new EvictionCursor(log, Math.min(next, log.written()));
  }

  /**
   * What has left since the last call.
   *
   * @return oldest first; some may be missing if it was called too seldom
   */
  public List<EvictionRecord> read() {
    List<EvictionRecord> records = log.since(next);
    if (!records.isEmpty()) {
      missed += records.getFirst().sequence() - next;
      next = records.getLast().sequence() + 1;
    }
    return records;
  }

  /**
   * Where to go on.
   *
   * @return the sequence number of the next record
   */
  public long next() {
    return next;
  }

  /**
   * Returns how many had left the log before they were read.
   *
   * @return the count since this cursor was made
   */
  public long missed() {
    return missed;
  }
}
