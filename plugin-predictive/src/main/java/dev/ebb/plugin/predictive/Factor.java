package dev.ebb.plugin.predictive;

import org.jspecify.annotations.Nullable;

/**
 * A group of cells, one of which multiplies the hazard of any class in any age bin. Most groups
 * distinguish positions from the end, because the last blocks of a prompt behave unlike the rest.
 */
enum Factor {
  AGE(null, BlockClass.POSITIONS * Ages.BINS),
  USES(AGE, BlockClass.USES * Ages.COARSE),
  DEPTH(USES, BlockClass.DEPTHS * Ages.COARSE),
  POSITION(DEPTH, BlockClass.POSITIONS * BlockClass.USES),
  MATCH(POSITION, BlockClass.POSITIONS * BlockClass.MATCHES),
  NEWS(MATCH, BlockClass.POSITIONS * BlockClass.NEWS),
  OUTPUT(NEWS, BlockClass.POSITIONS * BlockClass.OUTPUTS),
  SUPERSEDED(OUTPUT, BlockClass.POSITIONS),
  HINT(SUPERSEDED, BlockClass.POSITIONS * BlockClass.HINTS),
  HINT_AGE(HINT, BlockClass.HINTS * Ages.COARSE);

  private final int number;
  private final int offset;
  private final int cells;

  Factor(@Nullable Factor before, int cells) {
    this.number = before == null ? 0 : before.number + 1;
    this.offset = before == null ? 0 : before.offset + before.cells;
    this.cells = cells;
  }

  int number() {
    return number;
  }

  int offset() {
    return offset;
  }

  static int allCells() {
    return HINT_AGE.offset + HINT_AGE.cells;
  }
}
