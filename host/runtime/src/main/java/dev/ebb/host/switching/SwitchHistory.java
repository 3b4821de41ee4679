package dev.ebb.host.switching;

import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.plugin.UnloadReport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

public final class SwitchHistory {

  private static final int MOST = 256;

  private final Deque<SwitchRecord> records = new ArrayDeque<>();
  private long last;

  SwitchHistory() {}

  synchronized SwitchRecord begin(SwitchCause cause, StrategyVersion from, StrategyVersion to) {
    SwitchRecord record = new SwitchRecord(++last, cause, from, to);
    records.addLast(record);
    if (records.size() > MOST) {
      records.removeFirst();
    }
    return record;
  }

  /** Records that a JAR was unloaded, in the latest switch away from it. */
  synchronized void unloaded(UnloadReport unloading) {
    for (Iterator<SwitchRecord> each = records.descendingIterator(); each.hasNext(); ) {
      if (each.next().unloaded(unloading)) {
        return;
      }
    }
  }

  /** Returns the last switches, oldest first. */
  public synchronized List<SwitchRecord> records() {
    return List.copyOf(records);
  }

  public synchronized long count() {
    return last;
  }
}
