package dev.ebb.host.disk;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Chooses the files of values, so that a chain is in one file. The last chunks of a chain are
 * evicted first, so that a value often comes before the one that its affinity names: then the file
 * is remembered for that one.
 */
final class ChainPlacement {

  /** A power of two: 512 KiB. Later hashes replace earlier ones of the same slot. */
  private static final int SLOTS = 1 << 16;

  /** A slot has a hash, and the file instead of its last byte. */
  private static final long FILE = 0xFF;

  private final int files;
  private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

  ChainPlacement(int files) {
    this.files = files;
  }

  /** Returns the number of the file that a value should be in. */
  int of(long hash, long affinity, List<DiskLog> logs) {
    if (files == 1) {
      return 0;
    }
    int own = remembered(hash);
    if (own >= 0 || affinity == 0) {
      return own >= 0 ? own : any(hash);
    }
    for (int i = 0; i < files; i++) {
      if (logs.get(i).knows(affinity)) {
        return i;
      }
    }
    int other = remembered(affinity);
    return other >= 0 ? other : any(affinity);
  }

  /** Remembers where a value was placed, for the others of its chain. */
  void placed(long hash, long affinity, int file) {
    if (files > 1) {
      remember(hash, file);
      remember(affinity, file);
    }
  }

  private int any(long hash) {
    return (int) Math.unsignedMultiplyHigh(hash * 0x9E3779B97F4A7C15L, files);
  }

  private int remembered(long hash) {
    long slot = slots.get(slot(hash));
    int file = (int) (slot & FILE);
    return hash != 0 && ((slot ^ hash) & ~FILE) == 0 && file < files ? file : -1;
  }

  private void remember(long hash, int file) {
    if (hash != 0) {
      slots.set(slot(hash), (hash & ~FILE) | file);
    }
  }

  private static int slot(long hash) {
    return (int) (hash >>> 8) & SLOTS - 1;
  }
}
