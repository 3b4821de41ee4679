package dev.ebb.host.disk;

import java.util.Arrays;

/** The newest record of each hash while a file is recovered; a tombstone has no location. */
final class RecoveryTable {

  private long[] hashes = new long[1 << 10];
  private long[] stamps = new long[1 << 10];
  private long[] locations = new long[1 << 10];
  private int used;

  /** Adds a record, unless a newer one is known. */
  void add(long hash, long stamp, long location) {
    int slot = slot(hash);
    if (hashes[slot] == 0) {
      used++;
    } else if (stamps[slot] > stamp) {
      return;
    }
    hashes[slot] = hash;
    stamps[slot] = stamp;
    locations[slot] = location;
    if (used > hashes.length / 4 * 3) {
      grow();
    }
  }

  /** Passes the records that are not tombstones. */
  void each(DiskIndex.Visitor visitor) {
    for (int i = 0; i < hashes.length; i++) {
      if (hashes[i] != 0 && locations[i] != Location.NONE) {
        visitor.entry(hashes[i], locations[i]);
      }
    }
  }

  private int slot(long hash) {
    int slot = (int) (hash ^ hash >>> 32) & hashes.length - 1;
    while (hashes[slot] != 0 && hashes[slot] != hash) {
      slot = slot + 1 & hashes.length - 1;
    }
    return slot;
  }

  private void grow() {
    long[] oldHashes = hashes;
    long[] oldStamps = stamps;
    long[] oldLocations = locations;
    hashes = new long[2 * oldHashes.length];
    stamps = Arrays.copyOf(oldStamps, hashes.length);
    locations = Arrays.copyOf(oldLocations, hashes.length);
    for (int i = 0; i < oldHashes.length; i++) {
      if (oldHashes[i] != 0) {
        int slot = slot(oldHashes[i]);
        hashes[slot] = oldHashes[i];
        stamps[slot] = oldStamps[i];
        locations[slot] = oldLocations[i];
      }
    }
  }
}
