package dev.ebb.host.store;

import dev.ebb.host.store.key.DiskKeyListener;
import org.jspecify.annotations.Nullable;

/**
 * The values on the disk of this node. Other nodes of a cluster may replace or remove a value while
 * this one does not notice: so the version is kept of each value whose key does not name its
 * content, and tested when the value is read. Thread-safe.
 */
public interface DiskValues extends RemoteValues {

  /** Decides which versions of values are valid. Called often, and while the store is locked. */
  @FunctionalInterface
  interface Validity {
    boolean isValid(byte[] mainKey, long version);
  }

  /** Sets what decides. Until then, all versions are valid. */
  void validity(Validity validity);

  /** Returns whether it has a value, as far as its index in memory tells. */
  boolean has(byte[] key);

  void keyListener(DiskKeyListener listener);

  EvictionListener evictions();

  /** Returns what removes values that clients of this node replace or remove. */
  ChangeListener changes();

  /** Keeps a short text with the values, which survives crashes. */
  void note(byte[] text);

  /** Returns the last text that was kept; null if there is none. */
  byte @Nullable [] noted();
}
