package dev.ebb.host.store.tile;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import org.jspecify.annotations.Nullable;

/** Lookups that a connection sent in a row, and that are of one tile. */
final class Piece {

  final IntArrayList indexes = new IntArrayList();

  /** The piece that follows it, as far as is known. */
  @Nullable Piece next;

  /** It follows another piece. */
  boolean follows;

  int first() {
    return indexes.getInt(0);
  }

  int last() {
    return indexes.getInt(indexes.size() - 1);
  }
}
