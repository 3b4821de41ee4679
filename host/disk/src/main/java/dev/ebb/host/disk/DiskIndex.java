package dev.ebb.host.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;

/**
 * The location of the newest record of each hash, 16 bytes an entry in tables that are at least 72
 * % full. Open addressing with linear probing; a table grows by a fifth. Thread-safe: each of 64
 * tables has its own lock, which is held for a few probes, or to copy a table.
 */
final class DiskIndex {

  private static final int TABLES = 64;
  private static final int LEAST_SLOTS = 16;

  private final Table[] tables = new Table[TABLES];
  private final LongAdder liveBytes = new LongAdder();
  private final LongAdder entries = new LongAdder();

  private volatile DiskListener listener = DiskListener.NONE;

  interface Visitor {
    void entry(long hash, long location);
  }

  /** A hash with its location. */
  record Entry(long hash, long location) {}

  DiskIndex() {
    Arrays.setAll(tables, i -> new Table());
  }

  void listener(DiskListener next) {
    listener = next;
  }

  /** Returns the location of a hash, or {@link Location#NONE}. */
  long get(long hash) {
    Table table = table(hash);
    synchronized (table) {
      return table.get(hash);
    }
  }

  void put(long hash, long location) {
    update(hash, old -> location);
  }

  /** Sets the location of a hash that has none; returns whether it had none. */
  boolean putIfAbsent(long hash, long location) {
    return Location.NONE == update(hash, old -> old == Location.NONE ? location : old);
  }

  /** Removes a hash; returns its location. */
  long remove(long hash) {
    return update(hash, old -> Location.NONE);
  }

  /** Sets a location, or removes it, if the present one is as expected; returns whether it was. */
  boolean replace(long hash, long expected, long location) {
    long before = update(hash, old -> Location.same(old, expected) ? location : old);
    return before != Location.NONE && Location.same(before, expected);
  }

  void read(long hash, long location) {
    var _ = update(hash, old -> Location.same(old, location) ? Location.read(old) : old);
  }

  /**
   * Records that a value was used by one that follows it, unless both are in one region: then they
   * are dropped together.
   */
  void followed(long hash, int region) {
    var _ =
        update(
            hash,
            old ->
                old == Location.NONE || Location.isAnnounced(old) || Location.region(old) == region
                    ? old
                    : Location.read(old));
  }

  long size() {
    return entries.sum();
  }

  long liveBytes() {
    return liveBytes.sum();
  }

  long bytes() {
    long slots = 0;
    for (Table table : tables) {
      synchronized (table) {
        slots += table.hashes.length;
      }
    }
    return 2 * Long.BYTES * slots;
  }

  void clear() {
    for (Table table : tables) {
      synchronized (table) {
        table.each((hash, location) -> {
          counted(location, -1);
          report(hash, location, Location.NONE);
        });
        table.allocate(LEAST_SLOTS);
      }
    }
  }

  /** Passes all entries. Each table is locked meanwhile. */
  void each(Visitor visitor) {
    for (Table table : tables) {
      synchronized (table) {
        table.each(visitor);
      }
    }
  }

  /** Returns the entries of a region. */
  List<Entry> inRegion(int region) {
    List<Entry> found = new ArrayList<>();
    each((hash, location) -> {
      if (Location.region(location) == region) {
        found.add(new Entry(hash, location));
      }
    });
    return found;
  }

  private long update(long hash, LongUnaryOperator change) {
    Table table = table(hash);
    synchronized (table) {
      int slot = table.slot(hash);
      long old = table.locations[slot];
      long next = change.applyAsLong(old);
      if (next == Location.NONE && old != Location.NONE) {
        table.remove(slot);
      } else if (next != Location.NONE) {
        table.put(slot, hash, next);
      }
      if (old != next) {
        counted(old, -1);
        counted(next, 1);
        report(hash, old, next);
      }
      return old;
    }
  }

  private void report(long hash, long old, long next) {
    if (isValue(old) != isValue(next) || next == Location.NONE) {
      listener.changed(hash, isValue(next));
    }
  }

  private static boolean isValue(long location) {
    return location != Location.NONE && !Location.isAnnounced(location);
  }

  private void counted(long location, int sign) {
    if (isValue(location)) {
      entries.add(sign);
      liveBytes.add((long) sign * Location.bytes(location));
    }
  }

  private Table table(long hash) {
    return tables[(int) (hash & TABLES - 1)];
  }

  /** A part of the index. A slot without a location is free. */
  static final class Table {

    private long[] hashes = {};
    private long[] locations = {};
    private int used;

    Table() {
      allocate(LEAST_SLOTS);
    }

    private void allocate(int slots) {
      hashes = new long[slots];
      locations = new long[slots];
      used = 0;
    }

    /** Returns the location of a hash, or none. */
    long get(long hash) {
      return locations[slot(hash)];
    }

    void put(long hash, long location) {
      put(slot(hash), hash, location);
    }

    private void put(int slot, long hash, long location) {
      used += locations[slot] == Location.NONE ? 1 : 0;
      hashes[slot] = hash;
      locations[slot] = location;
      growIfFull();
    }

    /** Returns the slot of a hash, or the free slot where it belongs. */
    private int slot(long hash) {
      int slot = home(hash);
      while (locations[slot] != Location.NONE && hashes[slot] != hash) {
        slot = slot + 1 == hashes.length ? 0 : slot + 1;
      }
      return slot;
    }

    private int home(long hash) {
      return (int) Math.unsignedMultiplyHigh(hash, hashes.length);
    }

    private void remove(int removed) {
      int free = removed;
      int slot = removed;
      used--;
      while (true) {
        locations[free] = Location.NONE;
        int home;
        do {
          slot = slot + 1 == hashes.length ? 0 : slot + 1;
          if (locations[slot] == Location.NONE) {
            return;
          }
          home = home(hashes[slot]);
        } while (free <= slot ? free < home && home <= slot : free < home || home <= slot);
        hashes[free] = hashes[slot];
        locations[free] = locations[slot];
        free = slot;
      }
    }

    private void growIfFull() {
      if (used < hashes.length - hashes.length / 8) {
        return;
      }
      long[] oldHashes = hashes;
      long[] oldLocations = locations;
      int count = used;
      allocate(hashes.length + Math.max(hashes.length / 5, 4));
      for (int i = 0; i < oldHashes.length; i++) {
        if (oldLocations[i] != Location.NONE) {
          int slot = slot(oldHashes[i]);
          hashes[slot] = oldHashes[i];
          locations[slot] = oldLocations[i];
        }
      }
      used = count;
    }

    private void each(Visitor visitor) {
      for (int i = 0; i < hashes.length; i++) {
        if (locations[i] != Location.NONE) {
          visitor.entry(hashes[i], locations[i]);
        }
      }
    }
  }
}
