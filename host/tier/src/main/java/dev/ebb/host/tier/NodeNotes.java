package dev.ebb.host.tier;

import dev.ebb.host.disk.DiskLog;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.DiskValue;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.disk.tier.TierFiles;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A text beside the values on the disk of a node. It is in the same log, so that a copy of the file
 * has the text that belongs to its values. Two records take turns: one of them survives a crash.
 */
final class NodeNotes {

  private static final byte[][] KEYS = {key(0), key(1)};

  private final DiskLogs log;
  private long count;

  NodeNotes(DiskLogs log) {
    this.log = log;
  }

  /** Returns a key that no client uses. */
  private static byte[] key(int index) {
    return (TierFiles.RESERVED + "node " + index).getBytes(StandardCharsets.UTF_8);
  }

  /** Writes a text, which becomes the last one. */
  synchronized void write(byte[] text) {
    if (count == 0 && read() == null) {
      count = 1;
    }
    byte[] key = KEYS[(int) (++count % KEYS.length)];
    var _ = log.remove(DiskLogs.hash(key));
    DiskLog.Ticket ticket = log.announce(DiskLogs.hash(key));
    if (ticket != null) {
      // The number of the text is in the place of the parent.
      var _ =
          ticket.append(
              key,
              new DiskLog.Properties(text.length, 0, DiskLog.NEVER, 0, count),
              target -> target.put(text),
              Duration.ZERO);
    }
  }

  /** Returns the last text; null if there is none. */
  synchronized byte @Nullable [] read() {
    byte[] newest = null;
    try (ReadBuffer buffer = new ReadBuffer()) {
      for (byte[] key : KEYS) {
        DiskValue value = log.read(key, buffer);
        if (value != null && value.parent() >= count) {
          count = value.parent();
          newest = new byte[value.bytes().remaining()];
          value.bytes().get(newest);
        }
      }
    }
    return newest;
  }
}
