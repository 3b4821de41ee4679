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

  /** The group of objects of a model that has no others. */
  int ONLY_GROUP = -1;

  /**
   * Reports a new value, or the first object of an object group of a chunk. A value of a request
   * whose client states its keys is reported after its parent: it may have been visible for some
   * time.
   *
   * @param key its key; not to be changed
   * @param group the number of its object group, or {@link #ONLY_GROUP}
   * @param kind which chunks of a prompt need objects of the group; null if unknown
   * @param parent the key of the chunk before it; null for a first one, or if it is unknown or not
   *     resident
   */
  default void stored(
      byte[] key, int group, @Nullable ObjectGroup kind, byte @Nullable [] parent) {}

  /** Reports that a value, or the last object of a group of a chunk, was removed. */
  default void removed(byte[] key, int group, RemovalCause cause) {}

  default void cleared() {}
}
