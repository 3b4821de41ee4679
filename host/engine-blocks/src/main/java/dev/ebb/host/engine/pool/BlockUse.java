package dev.ebb.host.engine.pool;

/** The use of a block of the pool. */
public enum BlockUse {
  FREE('.'),
  /** A cached prefix that no open sequence uses. */
  CACHED('c'),
  /** A cached prefix, or a block of forks, that open sequences share. */
  SHARED('s'),
  /** One open sequence's own. */
  OWNED('o'),
  /** An open sequence's own, being migrated to another device. */
  MIGRATING('m'),
  /** Reserved for later use. */
  RESERVED('r');

  private final char symbol;

  BlockUse(char symbol) {
    this.symbol = symbol;
  }

  /** Returns the character for it in a map. */
  public char symbol() {
    return symbol;
  }
}
