package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * The object of a chunk that is evicted next while its chunk stays, or none. Owned by the host and
 * reused.
 *
 * @since 1.6.0
 */
public final class PartChoice {

  private @Nullable Entry entry;
  private int group;

  /** Creates a choice of none. */
  public PartChoice() {}

  /**
   * Chooses the object of one group of a chunk.
   *
   * @param entry the chunk
   * @param group the number of the group, for which {@link Entry#partEvictable} is true
   */
  public void set(Entry entry, int group) {
    this.entry = entry;
    this.group = group;
  }

  /** Chooses none: the host asks {@link BlockPolicy#victim} for a whole entry. */
  public void none() {
    entry = null;
    group = 0;
  }

  /**
   * Returns the chunk.
   *
   * @return null if no object is evicted alone
   */
  public @Nullable Entry entry() {
    return entry;
  }

  /**
   * Returns the number of the object's group.
   *
   * @return 0 or more
   */
  public int group() {
    return group;
  }
}
