package dev.ebb.host.sequences;

import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.tokens.signals.Observations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A sequence whose engine is in another process. Its blocks stay where they are and its memory is
 * not preempted, except while it is paused or a command releases it. For one thread at a time.
 */
final class RemoteSequence {

  final Sequence sequence;

  /** What its client has stated to provide. */
  final Observations observations;

  private @Nullable KvAccess access;
  private final int[][] known;
  private long epoch;

  RemoteSequence(Sequence sequence, Observations observations, int laneGroups) {
    known = new int[laneGroups][0];
    this.sequence = sequence;
    this.observations = observations;
    access = sequence.access();
  }

  boolean paused() {
    return access == null;
  }

  /** Lets the blocks move, or the memory be preempted. */
  void pause() {
    KvAccess open = access;
    access = null;
    if (open != null) {
      open.close();
    }
  }

  /** Keeps the blocks in place. */
  void resume() {
    if (access == null) {
      access = sequence.access();
    }
  }

  /** Runs work that can move or free blocks; its client does not use them meanwhile. */
  <T> T released(Supplier<T> work) {
    boolean paused = paused();
    pause();
    try {
      return work.get();
    } finally {
      if (!paused) {
        resume();
      }
    }
  }

  /**
   * Returns what the client does not know yet: the epoch, which changes when known blocks do; the
   * number of rows; and for each lane group whose table has changed its number, the index of the
   * first block that follows, the number of blocks, and the blocks.
   */
  List<Long> changes() {
    List<Long> tables = new ArrayList<>();
    boolean replaced = false;
    for (int group = 0; group < known.length; group++) {
      int[] before = known[group];
      int[] table = sequence.blockTable(group);
      int same = Arrays.mismatch(before, table);
      if (same >= 0) {
        replaced |= same < before.length;
        known[group] = table;
        tables.addAll(List.of((long) group, (long) same, (long) table.length - same));
        Arrays.stream(table, same, table.length).asLongStream().forEach(tables::add);
      }
    }
    epoch += replaced ? 1 : 0;
    tables.addAll(0, List.of(epoch, (long) sequence.length()));
    return tables;
  }

  /** Returns the rows in use of each lane. */
  int[] lengths(int lanes) {
    int[] lengths = new int[lanes];
    for (int lane = 0; lane < lanes; lane++) {
      lengths[lane] = open().length(lane);
    }
    return lengths;
  }

  /** Returns the position of the token in each row of a lane. */
  int[] positions(int lane) {
    return open().positions(lane);
  }

  /**
   * Returns the access that keeps the blocks in place.
   *
   * @throws IllegalStateException if it is paused
   */
  private KvAccess open() {
    KvAccess open = access;
    if (open == null) {
      throw new IllegalStateException(
          "sequence '%d' is paused; send EBB.SEQ RESUME first".formatted(sequence.id()));
    }
    return open;
  }

  void requireRunning() {
    var _ = open();
  }
}
