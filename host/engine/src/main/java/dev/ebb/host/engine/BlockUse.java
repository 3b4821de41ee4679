package dev.ebb.host.engine;

/** What a block of the pool is used for. */
public enum BlockUse {
  /** Nobody has it. */
  FREE('.'),
  /** A cached prefix that no open sequence uses. */
  CACHED('c'),
  /** A cached prefix, or a block of forks, that open sequences share. */
  SHARED('s'),
  /** One open sequence's own. */
  OWNED('o'),
  /** The same, of a sequence that is on its way to another device. */
  MIGRATING('m'),
  /** Taken ahead of its use. */
  RESERVED('r');

  private final char symbol;

  BlockUse(char symbol) {
    this.symbol = symbol;
  }

  /**
   * How a map shows it.
   *
   * @return one character
   */
  public char symbol() {
    return symbol;
  }
}
