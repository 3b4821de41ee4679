package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Slab;
import dev.ebb.host.engine.pool.PageTable;
import dev.ebb.host.engine.prune.PruneResult;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Drops tokens of one sequence. The records change under the engine's lock. Rows move without it,
 * while the sequence is in use, so that none of its blocks are taken or moved.
 *
 * <p>Shared blocks that are to be written are copied first. So a refusal for lack of room leaves
 * everything unchanged.
 */
final class Pruning {

  private static final int[] NONE = {};

  private final Engine engine;
  private final Sequence sequence;
  private final KvLayout layout;
  private final StoredTokens stored;
  private final Packing packing;
  private final RowPacking rows;

  private SequenceBlocks home;

  /** Blocks that are shared and written: page times groups, plus the group. */
  private int[] places = NONE;

  private int[] copies = NONE;

  private boolean writing;
  private long movedRows;

  /** The last results, by rows moved: a loop has similar ones again. */
  private final @Nullable PruneResult[] last = new PruneResult[16];

  private Pruning(Engine engine, Sequence sequence) {
    this.engine = engine;
    this.sequence = sequence;
    home = sequence.home;
    layout = engine.layout();
    stored = sequence.stored;
    packing = new Packing(stored);
    rows = new RowPacking(layout, packing);
  }

  static PruneResult keep(Engine engine, Sequence sequence, KeptSets kept) {
    Pruning pruning = begin(engine, sequence, kept);
    if (pruning.packing.dropped() == 0) {
      return pruning.result(0, sequence.length(), 0, 0);
    }
    try {
      pruning.move();
    } catch (Throwable failed) {
      engine.exclusively(pruning::giveUp);
      throw failed;
    }
    return pruning.complete();
  }

  /** Drops the oldest tokens. */
  static PruneResult prefix(Engine engine, Sequence sequence, int tokens) {
    int[][] kept =
        engine.locked(() -> {
          sequence.checkOpen();
          return IntStream.range(0, sequence.stored.sets())
              .mapToObj(set -> behind(tokens, sequence.stored.length(set)))
              .toArray(int[][]::new);
        });
    return keep(engine, sequence, KeptSets.of(kept));
  }

  private static int[] behind(int tokens, int length) {
    if (tokens < 0 || tokens > length) {
      throw new IllegalArgumentException(
          "prefix of '%d' tokens must be from 0 to the length %d".formatted(tokens, length));
    }
    return IntStream.range(tokens, length).toArray();
  }

  /** Plans, and makes room for the copies, unless there is nothing to do. */
  private static Pruning begin(Engine engine, Sequence sequence, KeptSets kept) {
    engine.lock.lock();
    try {
      engine.checkOpen();
      sequence.checkOpen();
      sequence.checkNotInUse("pruned");
      engine.requireNoWindows("pruned");
      engine.migrations.end(sequence, "it was pruned");
      Pruning pruning = sequence.pruner;
      if (pruning == null) {
        pruning = new Pruning(engine, sequence);
        sequence.pruner = pruning;
      }
      pruning.plan(kept);
      return pruning;
    } finally {
      engine.lock.unlock();
    }
  }

  private void plan(KeptSets kept) {
    home = sequence.home;
    places = NONE;
    copies = NONE;
    writing = false;
    packing.plan(RowPacking.mayFill(layout, home), kept);
    checkGroups();
    if (packing.dropped() > 0) {
      sequence.uses++;
      try {
        obtainCopies();
      } catch (RuntimeException refused) {
        engine.endUse(sequence);
        throw refused;
      }
    }
  }

  private void checkGroups() {
    for (int lane = 0; lane < layout.layers() * layout.kvHeads(); lane++) {
      int first = packing.kept(setOf(lane / layout.lanes() * layout.lanes()));
      if (packing.kept(setOf(lane)) != first) {
        throw new IllegalArgumentException(
            "lanes of lane group '%d' must keep equally many tokens, not '%d' and '%d'; take a layout with more than %d lane groups"
                .formatted(
                    lane / layout.lanes(), first, packing.kept(setOf(lane)), layout.laneGroups()));
      }
    }
  }

  private void obtainCopies() {
    KvPool pool = home.partition.pool;
    int count = sharedAndWritten().length;
    if (count > 0) {
      int[] obtained =
          home.partition.reclaimer.obtain(
              sequence,
              count,
              Placement.SCATTERED,
              () -> pool.allocate(sequence.owner, count, Placement.SCATTERED));
      // The other user of a block may have been preempted for the copy.
      places = sharedAndWritten();
      copies = Arrays.copyOf(obtained, places.length);
      pool.free(Arrays.copyOfRange(obtained, places.length, count));
      // They are in no table yet, so moves would not be followed.
      for (int block : copies) {
        pool.pin(block);
      }
    }
  }

  private int[] sharedAndWritten() {
    if (home.table.shared() == 0 && home.matchedPages == 0) {
      return NONE;
    }
    IntStream.Builder found = IntStream.builder();
    for (int group = 0; group < layout.laneGroups(); group++) {
      int from = home.table.pages(group);
      int to = 0;
      for (int lane = group * layout.lanes(); lane < (group + 1) * layout.lanes(); lane++) {
        int set = setOf(lane);
        from = Math.min(from, packing.firstMoved(set) / layout.blockTokens());
        to = Math.max(to, Math.ceilDiv(packing.kept(set), layout.blockTokens()));
      }
      for (int page = from; page < to; page++) {
        if (home.shares(page, group)) {
          found.add(page * layout.laneGroups() + group);
        }
      }
    }
    return found.build().toArray();
  }

  private void move() {
    Slab slab = home.partition.pool.memory().slab();
    // The table does not change while the sequence is in use.
    int[][] tables = places.length == 0 ? home.table.blocks() : writable(slab);
    writing = true;
    movedRows = rows.run(slab, tables, home.table.counts());
  }

  /** Returns the tables with the copies in them, which are made here. */
  private int[][] writable(Slab slab) {
    int[][] tables = new int[layout.laneGroups()][];
    BlockMoves pages = new BlockMoves(places.length);
    engine.exclusively(() -> {
      Arrays.setAll(tables, home.table::group);
      for (int i = 0; i < places.length; i++) {
        int[] table = tables[places[i] % tables.length];
        int page = places[i] / tables.length;
        pages.add(table[page], copies[i]);
        table[page] = copies[i];
      }
    });
    slab.copyBlocks(pages, layout.blockBytes());
    return tables;
  }

  private void giveUp() {
    unpinCopies();
    home.partition.pool.free(copies);
    engine.endUse(sequence);
    if (writing) {
      // Some rows have moved and others have not.
      engine.release(sequence, SequenceState.ABORTED);
    }
  }

  private PruneResult complete() {
    engine.lock.lock();
    try {
      unpinCopies();
      home.detach();
      for (int i = 0; i < places.length; i++) {
        int page = places[i] / layout.laneGroups();
        int group = places[i] % layout.laneGroups();
        home.partition.pool.free(home.table.block(page, group));
        home.table.set(page, group, copies[i]);
      }
      home.partition.traffic.copied += copies.length;
      int before = stored.longest();
      if (sequence.signals != null) {
        sequence.signals.keep(packing);
      }
      packing.commit();
      int freed = cutBehind(home, stored) - copies.length;
      engine.endUse(sequence);
      engine.freed.signalAll();
      return result(before - stored.longest(), stored.longest(), freed, movedRows);
    } finally {
      engine.lock.unlock();
    }
  }

  private PruneResult result(int dropped, int length, int freedBlocks, long moved) {
    int slot = (int) (moved % last.length);
    PruneResult known = last[slot];
    if (known == null
        || known.droppedTokens() != dropped
        || known.length() != length
        || known.freedBlocks() != freedBlocks
        || known.movedRows() != moved) {
      long bytes = (long) freedBlocks * layout.blockBytes();
      known = new PruneResult(dropped, length, freedBlocks, bytes, moved);
      last[slot] = known;
    }
    return known;
  }

  private void unpinCopies() {
    for (int block : copies) {
      home.partition.pool.unpin(block);
    }
  }

  private int setOf(int lane) {
    return lane * packing.sets() / (layout.layers() * layout.kvHeads());
  }

  /** Releases the blocks behind the last stored row. */
  private static int cutBehind(SequenceBlocks home, StoredTokens stored) {
    KvPool pool = home.partition.pool;
    PageTable table = home.table;
    int freed = 0;
    for (int group = 0; group < table.groups(); group++) {
      int pages = home.pagesFor(stored, group, 0);
      for (int page = pages; page < table.pages(group); page++) {
        int block = table.block(page, group);
        freed += pool.references(block) == 1 ? 1 : 0;
        pool.free(block);
      }
      table.cut(group, pages);
      int shared = Math.min(pages, table.shared(group));
      while (shared > 0 && pool.references(table.block(shared - 1, group)) == 1) {
        shared--;
      }
      table.share(group, shared);
    }
    return freed;
  }
}
