package dev.ebb.host.pool;

/**
 * Old and new numbers of blocks that moved.
 *
 * <p>Valid only during the call that hands it out.
 */
public interface BlockRelocation {

  /**
   * The pool in which the new numbers are.
   *
   * @return the same pool after a compaction, another after a migration
   */
  KvPool target();

  /**
   * How many blocks moved.
   *
   * @return at least 1
   */
  int count();

  /**
   * A block's old number.
   *
   * @param index 0 to {@code count() - 1}
   * @return where it was
   */
  int from(int index);

  /**
   * A block's new number.
   *
   * @param index 0 to {@code count() - 1}
   * @return where it is
   */
  int to(int index);
}
