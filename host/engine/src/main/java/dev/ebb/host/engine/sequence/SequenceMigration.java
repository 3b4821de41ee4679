package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.request.SequenceEnd;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.pool.BlockTransfer;
import dev.ebb.host.pool.MigrationReport;
import org.jspecify.annotations.Nullable;

/**
 * The migration of a sequence, or a cached prefix, to another device. Until the last block has
 * arrived it stays on its device, and may be read there. Then it moves to the other device in one
 * step. The next {@link #run} resumes a failed copy.
 *
 * <p>The sequence takes precedence. If it is appended to, opened for writing, finished, aborted or
 * preempted, the migration is cancelled and the copies are freed. Thread-safe.
 */
public final class SequenceMigration implements AutoCloseable {

  /** The number of bytes that are copied before other threads can run. */
  private static final long SLICE_BYTES = 16L << 20;

  private final Engine engine;
  private final long id;
  private final Sequence sequence;
  private final SequenceBlocks source;
  private final SequenceBlocks target;
  private final boolean prefix;
  private final int pages;
  private final int blocks;
  private final BlockTransfer transfer;
  private final long startNanos = System.nanoTime();
  // The following fields are guarded by the engine's lock.

  private MigrationReport.State state = MigrationReport.State.COPYING;
  private @Nullable String reason;

  SequenceMigration(
      Engine engine,
      long id,
      Sequence sequence,
      SequenceBlocks target,
      boolean checksum,
      boolean prefix) {
    this.engine = engine;
    this.id = id;
    this.sequence = sequence;
    this.target = target;
    this.prefix = prefix;
    source = sequence.home;
    pages = source.table.pages();
    blocks = target.table.from(target.matchedPages).length;
    transfer = new BlockTransfer(source.partition.pool, target.partition.pool, checksum);
  }

  /** Returns the migration's number, for operators; unique in this Ebb. */
  public long id() {
    return id;
  }

  /**
   * Returns the number of the moving sequence; of a cached prefix a number that no other sequence
   * has.
   */
  public long sequence() {
    return sequence.id();
  }

  public String from() {
    return source.partition.name();
  }

  public String to() {
    return target.partition.name();
  }

  /**
   * Returns its progress. Pages that were already cached on the target are not among its blocks.
   */
  public MigrationReport report() {
    return engine.locked(() -> transfer.report(blocks, state));
  }

  /** Returns why it was cancelled, or null if it was not. */
  public @Nullable String reason() {
    return engine.locked(() -> reason);
  }

  /**
   * Copies the next blocks, and completes the migration when all have arrived. An open access
   * prevents its completion; the next run tries again.
   *
   * @param maxBytes stops before more bytes than these are copied, but not before one block
   * @throws DeviceException if a copy failed or differs from its source; the source stays valid,
   *     and the next run resumes at that block
   */
  public synchronized MigrationReport run(long maxBytes) {
    long blockBytes = engine.layout().blockBytes();
    long left = Math.max(blockBytes, maxBytes);
    int before;
    do {
      before = transfer.copied();
      slice(Math.min(left, SLICE_BYTES));
      left -= (transfer.copied() - before) * blockBytes;
    } while (left >= blockBytes && transfer.copied() > before);
    return report();
  }

  private void slice(long bytes) {
    int[][] tables = engine.locked(this::beginCopying);
    if (tables.length == 0) {
      return;
    }
    try {
      transfer.run(tables[0], tables[1], bytes);
    } catch (DeviceException failed) {
      // After a cancellation the source may be written immediately: a copy made then is dropped,
      // and may differ.
      if (report().state() == MigrationReport.State.COPYING) {
        throw failed;
      }
    } finally {
      engine.exclusively(this::endCopying);
    }
  }

  /** Returns the current blocks; none of them moves until the copies are made. */
  private int[][] beginCopying() {
    if (state != MigrationReport.State.COPYING) {
      return new int[0][];
    }
    copying(true);
    return new int[][] {
      source.table.from(target.matchedPages), target.table.from(target.matchedPages)
    };
  }

  private void endCopying() {
    copying(false);
    if (state == MigrationReport.State.CANCELLED) {
      leave();
    } else if (transfer.copied() == blocks && sequence.uses == 0) {
      complete();
    }
    engine.freed.signalAll();
  }

  private void complete() {
    state = MigrationReport.State.COMPLETE;
    sequence.home = target;
    sequence.migration = null;
    source.release();
    target.partition.traffic.arrived(
        blocks, (long) blocks * engine.layout().blockBytes(), System.nanoTime() - startNanos);
    if (prefix) {
      target.publish(pages, SequenceEnd.UNKNOWN);
      engine.letGo(sequence, SequenceState.FINISHED);
      source.partition.forget(sequence.chain, pages);
    }
    engine.migrations.ended(this);
  }

  private void copying(boolean now) {
    source.copying = now;
    target.copying = now;
  }

  SequenceBlocks target() {
    return target;
  }

  /**
   * Cancels an incomplete migration: everything stays in place. A copy in progress is freed
   * afterwards.
   */
  public void cancel(String why) {
    engine.exclusively(() -> {
      if (state == MigrationReport.State.COPYING) {
        state = MigrationReport.State.CANCELLED;
        reason = why;
        target.partition.traffic.cancelledMigrations++;
        sequence.migration = null;
        if (!target.copying) {
          leave();
        }
      }
    });
  }

  private void leave() {
    target.release();
    if (prefix && sequence.state == SequenceState.OPEN) {
      engine.letGo(sequence, SequenceState.ABORTED);
    }
    engine.migrations.ended(this);
    engine.freed.signalAll();
  }

  /** Cancels an incomplete migration: everything stays in place, the copies are freed. */
  @Override
  public void close() {
    cancel("it was closed");
  }
}
