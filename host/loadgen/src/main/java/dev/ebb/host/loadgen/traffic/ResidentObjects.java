package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.loadgen.ChunkClient;
import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.io.IOException;
import java.util.List;

/**
 * Counts the objects of a hybrid model that a server has at the end, and the bytes of those that no
 * prompt can use: they belong to no prefix that all groups can serve. It asks the server only which
 * objects it has; which of them are of use follows from the trace.
 */
public final class ResidentObjects {

  private final ObjectGroups groups;
  private final Long2LongMap before;
  private final long full;

  /** A bit by group for each chunk: what the server has, and what a prompt can use. */
  private final Long2LongOpenHashMap present = new Long2LongOpenHashMap();

  private final Long2LongOpenHashMap usable = new Long2LongOpenHashMap();

  /**
   * What a server has.
   *
   * @param objects how many, of all groups
   * @param uselessBytes the part of their bytes that no prompt can use
   */
  public record Count(long objects, long bytes, long uselessBytes) {

    Count plus(Count other) {
      return new Count(
          objects + other.objects, bytes + other.bytes, uselessBytes + other.uselessBytes);
    }

    /** Returns the share of the bytes that no prompt can use: 0 to 1. */
    public double uselessShare() {
      return bytes == 0 ? 0 : (double) uselessBytes / bytes;
    }
  }

  /**
   * Creates a count.
   *
   * @param before the chunk before each one; itself for the first of a prompt; not to be changed
   */
  ResidentObjects(ObjectGroups groups, Long2LongMap before) {
    this.groups = groups;
    this.before = before;
    full = groups.fullMask();
  }

  /**
   * Asks a server.
   *
   * @param connection a client for each group
   * @param ids chunks of its requests, predecessors first
   */
  Count count(List<ChunkClient> connection, long[] ids) throws IOException {
    long[][] bytes = new long[groups.size()][];
    for (int group = 0; group < groups.size(); group++) {
      bytes[group] = connection.get(group).lengths(ids);
      for (int i = 0; i < ids.length; i++) {
        if (bytes[group][i] > 0) {
          present.put(ids[i], present.get(ids[i]) | 1L << group);
        }
      }
    }
    for (long id : ids) {
      markPrefix(id);
    }
    long objects = 0;
    long all = 0;
    long useless = 0;
    for (int group = 0; group < groups.size(); group++) {
      for (int i = 0; i < ids.length; i++) {
        objects += bytes[group][i] > 0 ? 1 : 0;
        all += bytes[group][i];
        useless += (usable.get(ids[i]) >>> group & 1) == 0 ? bytes[group][i] : 0;
      }
    }
    return new Count(objects, all, useless);
  }

  /** Marks what a prompt needs that goes on after a chunk, if the server has all of it. */
  private void markPrefix(long last) {
    if (!isUsable(last)) {
      return;
    }
    for (int group = 0; group < groups.size(); group++) {
      long on = last;
      for (int left = groups.window(group); left > 0; left--) {
        usable.put(on, usable.get(on) | 1L << group);
        left = before.get(on) == on ? 0 : left;
        on = before.get(on);
      }
    }
    for (long on = last; (usable.get(on) & full) != full; on = before.get(on)) {
      usable.put(on, usable.get(on) | full);
    }
  }

  private boolean isUsable(long last) {
    for (int group = 0; group < groups.size(); group++) {
      long on = last;
      for (int left = groups.window(group); left > 0; left--) {
        if ((present.get(on) >>> group & 1) == 0) {
          return false;
        }
        left = before.get(on) == on ? 0 : left;
        on = before.get(on);
      }
    }
    long on = last;
    while ((usable.get(on) & full) != full && (present.get(on) & full) == full) {
      if (before.get(on) == on) {
        return true;
      }
      on = before.get(on);
    }
    return (usable.get(on) & full) == full;
  }
}
