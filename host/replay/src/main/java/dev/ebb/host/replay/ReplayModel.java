package dev.ebb.host.replay;

import java.util.Locale;

/** The meaning of a trace's ids. */
public enum ReplayModel {
  /**
   * A block of a prompt, usable only behind all blocks before it. One request at a time: match the
   * longest resident prefix, admit the rest, touch the deepest block first.
   */
  PREFIX {
    // Chaining makes the key identify the block and all before it, even if a trace's ids do not.
    @Override
    public long key(long previous, long id) {
      return mix(previous * 0x9FB21C651E98DF25L + id);
    }
  },

  /** An object of its own; each id is a request, as in cache simulators. */
  OBJECT {
    @Override
    public long key(long previous, long id) {
      return mix(id);
    }
  };

  /**
   * Returns the cache key of an id.
   *
   * @param previous the key before it in the request; 0 at the front
   */
  public abstract long key(long previous, long id);

  /** Replaces the ids of a request by cache keys, in place. */
  void keys(long[] ids, int from, int to) {
    long previous = 0;
    for (int i = from; i < to; i++) {
      previous = key(previous, ids[i]);
      ids[i] = previous;
    }
  }

  /** Returns the name in options and reports. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  // The finalizer of MurmurHash3 with Stafford's variant 13 constants.
  private static long mix(long value) {
    long bits = value + 0x9E3779B97F4A7C15L;
    bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return bits ^ (bits >>> 31);
  }
}
