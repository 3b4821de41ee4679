package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.stats.EvictionRecord;
import java.util.List;

/** A read position in the eviction log. Not thread-safe. */
public final class EvictionCursor {

  private final EvictionLog log;
  private long next;
  private long missed;

  private EvictionCursor(EvictionLog log, long next) {
    this.log = log;
    this.next = next;
  }

  /** Returns a cursor at the end of the log, which reads only later evictions. */
  public static EvictionCursor atEnd(EvictionLog log) {
    return new EvictionCursor(log, log.written());
  }

  /**
   * Returns a cursor at a sequence number that {@link #next} returned earlier.
   *
   * @param next 0 or more
   * @return a cursor there; at the end if the log is not that long yet
   */
  public static EvictionCursor at(EvictionLog log, long next) {
    return new EvictionCursor(log, Math.min(next, log.written()));
  }

  /** Returns the evictions since the last call, oldest first, without overwritten ones. */
  public List<EvictionRecord> read() {
    List<EvictionRecord> records = log.since(next);
    if (!records.isEmpty()) {
      missed += records.getFirst().sequence() - next;
      next = records.getLast().sequence() + 1;
    }
    return records;
  }

  /** Returns the sequence number from which the next read continues. */
  public long next() {
    return next;
  }

  /** Returns how many evictions the log overwrote before this cursor read them. */
  public long missed() {
    return missed;
  }
}
