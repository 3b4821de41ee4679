package dev.ebb.host.store.key;

import dev.ebb.host.group.ObjectGroup;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/**
 * Receives the keys that become resident and those that are removed. The metadata of a chunk is
 * part of the chunk and is not reported.
 *
 * <p>Called while a part of the store is locked: implementations return quickly, do not wait, and
 * do not call the store. Calls for one key come in order; keys of different parts may be reported
 * at the same time by different threads.
 */
public interface KeyListener {

  KeyListener NONE = new KeyListener() {};

  /**
   * Reports a new value. A value of a request whose client states its keys is reported after its
   * parent: it may have been visible for some time.
   *
   * @param key its key; not to be changed
   * @param parent the key of the chunk before it; null for a first one, or if it is unknown or not
   *     resident
   * @param bytes its size
   */
  default void stored(byte[] key, byte @Nullable [] parent, long bytes) {}

  /**
   * Reports the first object of an object group of a chunk, as {@link #stored(byte[], byte[],
   * long)} does for models that have one group only.
   *
   * @param group the number of the group
   * @param kind which chunks of a prompt need such objects; null if unknown
   */
  default void stored(
      byte[] key, int group, @Nullable ObjectGroup kind, byte @Nullable [] parent, long bytes) {
    stored(key, parent, bytes);
  }

  /** Reports that the last object of a group of a chunk was removed. */
  default void removed(byte[] key, int group, RemovalCause cause) {
    removed(key, cause);
  }

  default void removed(byte[] key, RemovalCause cause) {}

  default void cleared() {}
}
