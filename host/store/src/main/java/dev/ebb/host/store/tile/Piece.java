package dev.ebb.host.store.tile;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import org.jspecify.annotations.Nullable;

/** Lookups of a batch whose order is certain: a tile, or a part of one, or several of them. */
final class Piece {

  private static final int FOUND = 0;
  private static final int PARTLY_FOUND = 1;
  private static final int MISSING = 2;

  final IntArrayList indexes = new IntArrayList();

  /** The piece that follows it for certain. */
  @Nullable Piece next;

  /** Another piece precedes it for certain. */
  boolean follows;

  int first() {
    return indexes.getInt(0);
  }

  int last() {
    return indexes.getInt(indexes.size() - 1);
  }

  /** Returns what was found of it: in a prompt, missing chunks follow those that were found. */
  static int answers(LookupBatch batch, IntArrayList indexes) {
    int found = 0;
    for (int i = 0; i < indexes.size(); i++) {
      found += batch.found(indexes.getInt(i)) ? 1 : 0;
    }
    if (found == 0) {
      return MISSING;
    }
    return found == indexes.size() ? FOUND : PARTLY_FOUND;
  }
}
