package dev.ebb.host.store.value;

/** The use of a block of a store's memory. */
public enum MemoryUse {
  /** Free. */
  FREE('.'),
  VALUE('v'),
  READING('r'),
  /** Part of a value that operators have pinned. */
  PINNED('p'),
  /** Shared by small values. */
  SMALL('s'),
  /** A value is arriving in it, or a removed one is still being read. */
  PASSING('w');

  private final char symbol;

  MemoryUse(char symbol) {
    this.symbol = symbol;
  }

  /** Returns the character for it in a drawing. */
  public char symbol() {
    return symbol;
  }
}
