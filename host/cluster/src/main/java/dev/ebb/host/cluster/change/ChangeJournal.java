package dev.ebb.host.cluster.change;

import dev.ebb.host.cluster.message.KeyBytes;
import dev.ebb.host.cluster.message.Message.Item;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last changes of values in the cluster: removals, and the replacement of values whose keys do
 * not name their content. Thread-safe.
 */
final class ChangeJournal {

  private final int mostKeys;
  private final long mostBytes;

  /** The oldest valid version of each changed key, the last change last. */
  private final Map<KeyBytes, Long> floors = new LinkedHashMap<>();

  private long bytes;
  private long from = Long.MAX_VALUE;

  /** The newest change that is not in it any more; 0 if there is none. */
  private long forgotten;

  private long cleared;

  ChangeJournal(int mostKeys, long mostBytes) {
    this.mostKeys = mostKeys;
    this.mostBytes = mostBytes;
  }

  /** All changes after a version are in it, or will be. */
  synchronized void covers(long version) {
    from = version;
  }

  /** Adds the oldest version that is still valid; returns whether it was not known. */
  synchronized boolean add(byte[] key, long floor) {
    KeyBytes id = new KeyBytes(key);
    Long before = floors.get(id);
    if (floor <= cleared || (before != null && before >= floor)) {
      return false;
    }
    if (floors.remove(id) == null) {
      bytes += key.length;
    }
    floors.put(id, floor);
    Iterator<Map.Entry<KeyBytes, Long>> oldest = floors.entrySet().iterator();
    while (floors.size() > mostKeys || bytes > mostBytes) {
      Map.Entry<KeyBytes, Long> first = oldest.next();
      bytes -= first.getKey().bytes().length;
      forgotten = Math.max(forgotten, first.getValue());
      oldest.remove();
    }
    return true;
  }

  /** All values up to a version were removed; returns whether that was not known. */
  synchronized boolean clear(long version) {
    if (version <= cleared) {
      return false;
    }
    cleared = version;
    floors.values().removeIf(floor -> floor <= version);
    bytes = floors.keySet().stream().mapToLong(key -> key.bytes().length).sum();
    return true;
  }

  synchronized long cleared() {
    return cleared;
  }

  /** Returns whether no known change has made a version invalid. */
  synchronized boolean isValid(byte[] key, long version) {
    return version > cleared && version >= floors.getOrDefault(new KeyBytes(key), 0L);
  }

  /** Returns the changes after a version, as far as they are known. */
  synchronized Changes since(long version) {
    List<Item> newer = new ArrayList<>();
    floors.forEach((key, floor) -> {
      if (floor > version) {
        newer.add(new Item(key.bytes(), floor));
      }
    });
    return new Changes(Math.max(from, forgotten), forgotten > 0, cleared, newer);
  }
}
