package dev.ebb.host.pool;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.DeviceException;
import java.util.Arrays;

/**
 * Moves blocks from one pool to another. Until the last block has arrived, the source is valid and
 * the target invisible. Then, at one moment, references and owners move over, the source pool's
 * {@link MoveListener}s receive the new numbers, and the source is free. The next {@link #run}
 * resumes a copy that failed half-way.
 *
 * <p>Used by one thread at a time.
 */
public final class Migration implements AutoCloseable {

  private static final BlockOwner MOVING = new BlockOwner("migration");

  private final KvPool source;
  private final KvPool target;
  private final int[] from;
  private final int[] to;
  private final BlockTransfer transfer;
  private MigrationReport.State state = MigrationReport.State.COPYING;

  private Migration(KvPool source, int[] from, KvPool target, int[] to, boolean checksum) {
    this.source = source;
    this.from = from;
    this.target = target;
    this.to = to;
    transfer = new BlockTransfer(source, target, checksum);
  }

  static Migration start(KvPool source, int[] blocks, KvPool target, boolean checksum) {
    if (source == target || !source.layout().equals(target.layout())) {
      throw new IllegalArgumentException(
          "blocks can migrate only to another pool of the same layout, '%s', not to '%s' on %s"
              .formatted(source.layout(), target.layout(), target.device().name()));
    }
    if (blocks.length == 0) {
      throw new IllegalArgumentException("no blocks to migrate; name at least one");
    }
    mark(source, blocks);
    try {
      int[] to = allocatePinned(target, blocks.length);
      return new Migration(source, blocks, target, to, checksum);
    } catch (RuntimeException refused) {
      unmark(source, blocks, blocks.length);
      throw refused;
    }
  }

  private static int[] allocatePinned(KvPool target, int count) {
    synchronized (target.lock) {
      int[] blocks = target.allocate(MOVING, count, Placement.SCATTERED).blocks();
      for (int block : blocks) {
        target.pin(block);
      }
      return blocks;
    }
  }

  private static void mark(KvPool source, int[] blocks) {
    synchronized (source.lock) {
      source.checkOpen();
      for (int i = 0; i < blocks.length; i++) {
        try {
          source.checked.checkAllocated(blocks[i], "migrated");
          if (source.ledger.migrating(blocks[i])) {
            throw new BlockMisuseException(
                "block '%d' is being migrated already; name it once, or wait for the other move"
                    .formatted(blocks[i]));
          }
        } catch (BlockMisuseException wrong) {
          unmark(source, blocks, i);
          throw wrong;
        }
        source.ledger.share(blocks[i]);
        source.ledger.startMigrating(blocks[i]);
      }
    }
  }

  private static void unmark(KvPool source, int[] blocks, int count) {
    synchronized (source.lock) {
      for (int i = 0; i < count; i++) {
        source.ledger.stopMigrating(blocks[i]);
        source.free(blocks[i]);
      }
    }
  }

  /**
   * Copies the next blocks, and completes the migration when all have arrived. Blocks that were
   * pinned meanwhile prevent its completion; the next run tries again.
   *
   * @param maxBytes stops before more bytes than these are copied, but not before one block
   * @throws DeviceException if a copy failed or differs from its source; the source stays valid,
   *     and the next run resumes at that block
   */
  public MigrationReport run(long maxBytes) {
    if (state == MigrationReport.State.COPYING) {
      transfer.run(from, to, maxBytes);
      if (transfer.copied() == from.length) {
        complete();
      }
    }
    return report();
  }

  private void complete() {
    KvPool first = source.order < target.order ? source : target;
    KvPool second = first == source ? target : source;
    synchronized (first.lock) {
      synchronized (second.lock) {
        if (Arrays.stream(from).anyMatch(block -> source.ledger.pins(block) > 0)) {
          return;
        }
        BlockMoves moves = new BlockMoves(from.length);
        for (int i = 0; i < from.length; i++) {
          source.ledger.stopMigrating(from[i]);
          target.unpin(to[i]);
          if (source.ledger.references(from[i]) == 1) {
            // Its users released it meanwhile.
            source.free(from[i]);
            target.free(to[i]);
          } else {
            source.ledger.release(from[i]);
            source.ledger.moveTo(target.ledger, from[i], to[i]);
            moves.add(from[i], to[i]);
          }
        }
        if (moves.count() > 0) {
          source.movement().moved(new BlockRelocation(target, moves));
        }
        for (int i = 0; i < moves.count(); i++) {
          source.allocator.free(moves.from(i), 1);
        }
        state = MigrationReport.State.COMPLETE;
      }
    }
  }

  /** Returns its progress as of the last run. */
  public MigrationReport report() {
    return transfer.report(from.length, state);
  }

  /**
   * Returns the new numbers, once the migration is complete. Those of blocks that were freed
   * meanwhile are free.
   *
   * @return in the order in which the blocks were named
   * @throws IllegalStateException if it is not complete
   */
  public int[] targets() {
    if (state != MigrationReport.State.COMPLETE) {
      throw new IllegalStateException(
          "the migration is '%s'; run it until it is complete".formatted(state));
    }
    return Arrays.copyOf(to, to.length);
  }

  /** Cancels an incomplete migration: the source stays, the copies are freed. */
  @Override
  public void close() {
    if (state == MigrationReport.State.COPYING) {
      state = MigrationReport.State.CANCELLED;
      // The target first: a caller that immediately migrates the same blocks must find its room.
      synchronized (target.lock) {
        for (int block : to) {
          target.unpin(block);
        }
        target.free(to);
      }
      unmark(source, from, from.length);
    }
  }
}
