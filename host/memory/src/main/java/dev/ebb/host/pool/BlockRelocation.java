package dev.ebb.host.pool;

/**
 * Old and new numbers of blocks that moved.
 *
 * <p>Valid only during the call that passes it.
 */
public interface BlockRelocation {

  /**
   * Returns the pool of the new numbers.
   *
   * @return the same pool after a compaction, another after a migration
   */
  KvPool target();

  /**
   * Returns how many blocks moved.
   *
   * @return at least 1
   */
  int count();

  /**
   * Returns a block's old number.
   *
   * @param index 0 to {@code count() - 1}
   */
  int from(int index);

  /**
   * Returns a block's new number.
   *
   * @param index 0 to {@code count() - 1}
   */
  int to(int index);
}
