package dev.ebb.host.store.tile;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntList;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Puts the lookups of a batch in the order of their prompts. What one connection sent in a row is
 * in order, except where a tile ends. Tiles are joined by what is known of their first keys. The
 * others are put in order by what was found of them, and then by their start: tiles enter one queue
 * front to back. A tile that is shorter than the others is the last one.
 */
public final class TileOrder {

  private static final int FOUND = 0;
  private static final int PARTLY_FOUND = 1;
  private static final int MISSING = 2;

  /** Lookups that a connection sent in a row, and that are of one tile. */
  private static final class TilePiece {

    private final IntArrayList indexes = new IntArrayList();

    /** The piece that follows it, as far as is known. */
    private @Nullable TilePiece next;

    private boolean follows;
  }

  private final LookupBatch batch;
  private final IntList lookups;
  private final KnownOrder known;
  private final int tileSize;

  /** The last lookup of the prompt; {@link LookupBatch#NOT_FOUND} if it cannot be told. */
  private final int end;

  /** Lookups that start a piece. */
  private final BitSet starts = new BitSet();

  private TileOrder(LookupBatch batch, IntList lookups, KnownOrder known, int workers) {
    this.batch = batch;
    this.lookups = lookups;
    this.known = known;
    tileSize = batch.tileSize(workers);
    end = batch.size() == lookups.size() ? batch.endOfShortTile(tileSize) : LookupBatch.NOT_FOUND;
  }

  /** Returns the prompts of a row of a client with so many connections, by their first lookups. */
  public static List<TiledPrompt> prompts(
      LookupBatch batch, Object row, KnownOrder known, int workers) {
    TileOrder order = new TileOrder(batch, batch.ofRow(row), known, workers);
    return order.prompts(order.joined(order.pieces()));
  }

  /** Returns the order of lookups, in the order of arrival, that are known to be of one prompt. */
  public static TiledPrompt prompt(
      LookupBatch batch, IntList lookups, KnownOrder known, int workers) {
    TileOrder order = new TileOrder(batch, lookups, known, workers);
    return order.prompt(order.joined(order.pieces()));
  }

  /** Cuts what each connection sent where a tile ends, or another prompt begins. */
  private List<TilePiece> pieces() {
    Map<Object, TilePiece> current = new HashMap<>();
    List<TilePiece> pieces = new ArrayList<>();
    for (int i : lookups) {
      TilePiece piece = current.get(batch.connection(i));
      if (piece == null || !goesOn(piece.indexes.getInt(piece.indexes.size() - 1), i)) {
        piece = new TilePiece();
        starts.set(i);
        pieces.add(piece);
        current.put(batch.connection(i), piece);
      }
      piece.indexes.add(i);
    }
    return pieces;
  }

  private boolean goesOn(int previous, int index) {
    long low = batch.low(index);
    if (known.isSure(low)) {
      return known.before(low) == batch.low(previous);
    }
    boolean sameTile = batch.place(previous) / tileSize == batch.place(index) / tileSize;
    return sameTile && (batch.found(previous) || !batch.found(index));
  }

  /** Joins pieces with those that are known to follow them. */
  private List<IntArrayList> joined(List<TilePiece> pieces) {
    Long2ObjectOpenHashMap<TilePiece> byEnd = new Long2ObjectOpenHashMap<>();
    for (TilePiece piece : pieces) {
      byEnd.put(batch.low(piece.indexes.getInt(piece.indexes.size() - 1)), piece);
    }
    // What is sure goes before what has been assumed.
    join(pieces, byEnd, known::isSure);
    join(pieces, byEnd, known::isKnown);
    List<IntArrayList> joined = new ArrayList<>();
    for (TilePiece piece : pieces) {
      if (!piece.follows) {
        IntArrayList indexes = new IntArrayList();
        for (TilePiece each = piece; each != null; each = each.next) {
          indexes.addAll(each.indexes);
        }
        joined.add(indexes);
      }
    }
    return joined;
  }

  private void join(
      List<TilePiece> pieces, Long2ObjectOpenHashMap<TilePiece> byEnd, LongPredicate trusted) {
    for (TilePiece piece : pieces) {
      long low = batch.low(piece.indexes.getInt(0));
      TilePiece before = !piece.follows && trusted.test(low) ? byEnd.get(known.before(low)) : null;
      if (before != null && before.next == null && !isAfter(piece, before)) {
        before.next = piece;
        piece.follows = true;
      }
    }
  }

  /** Returns whether a piece is, or comes before, another one. */
  private static boolean isAfter(TilePiece piece, TilePiece other) {
    TilePiece each = piece;
    while (each != null && each != other) {
      each = each.next;
    }
    return each == other;
  }

  private List<TiledPrompt> prompts(List<IntArrayList> joined) {
    List<List<IntArrayList>> prompts = new ArrayList<>();
    boolean begun = false;
    for (IntArrayList piece : joined) {
      boolean begins = begins(piece);
      // Pieces that started before the first front belong to it: connections are not in step.
      if (prompts.isEmpty() || (begins && begun)) {
        prompts.add(new ArrayList<>());
      }
      begun |= begins;
      prompts.getLast().add(piece);
    }
    return prompts.stream().map(this::prompt).toList();
  }

  /** Returns whether what precedes a piece is known, and is not in the batch. */
  private boolean begins(IntArrayList piece) {
    long low = batch.low(piece.getInt(0));
    return known.isSure(low) && !batch.contains(known.before(low));
  }

  private TiledPrompt prompt(List<IntArrayList> pieces) {
    pieces.sort(
        Comparator.comparing((IntArrayList piece) -> !begins(piece))
            .thenComparingInt(this::answers)
            .thenComparing(piece -> piece.getInt(piece.size() - 1) == end));
    IntArrayList indexes = new IntArrayList();
    pieces.forEach(indexes::addAll);
    BitSet assumed = new BitSet();
    for (int i = 0; i < indexes.size(); i++) {
      assumed.set(i, starts.get(indexes.getInt(i)));
    }
    return new TiledPrompt(indexes, assumed);
  }

  /** Returns what was found: in a prompt, missing chunks follow those that were found. */
  private int answers(IntArrayList piece) {
    long found = piece.intStream().filter(batch::found).count();
    if (found == 0) {
      return MISSING;
    }
    return found == piece.size() ? FOUND : PARTLY_FOUND;
  }
}
