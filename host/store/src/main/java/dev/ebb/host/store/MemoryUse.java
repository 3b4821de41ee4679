package dev.ebb.host.store;

/** What a block of a store's memory is used for. */
public enum MemoryUse {
  /** Nobody has it. */
  FREE('.'),
  /** Part of a value. */
  VALUE('v'),
  /** Part of a value that is being read. */
  READING('r'),
  /** Part of a value that operators have pinned. */
  PINNED('p'),
  /** Small values share it. */
  SMALL('s'),
  /** A value is arriving in it, or one that has left is still being read. */
  PASSING('w');

  private final char symbol;

  MemoryUse(char symbol) {
    this.symbol = symbol;
  }

  /**
   * The use in a drawing.
   *
   * @return one character
   */
  public char symbol() {
    return symbol;
  }
}
