package dev.ebb.host.engine;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.tier.DevicePages;
import dev.ebb.host.engine.tier.DiskPages;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads pages of a new sequence's prompt that are only on the disk. They are cached again
 * immediately, so that others share them.
 */
final class PrefixRead {

  private static final Logger LOG = LoggerFactory.getLogger(PrefixRead.class);

  private PrefixRead() {}

  /** Reads without the lock: the sequence is in use, so none of its blocks move. */
  static void into(Sequence sequence, Engine engine) {
    DiskPages disk = engine.disk;
    if (disk == null) {
      return;
    }
    DevicePages device = engine.locked(() -> begin(sequence));
    if (device == null) {
      return;
    }
    int tokens = engine.layout().blockTokens();
    int from = sequence.matchedTokens / tokens;
    int read = 0;
    try {
      PageTable table = sequence.home.table;
      read =
          disk.read(
              device, sequence.chain, from, sequence.chain.blocks(), page -> blocks(table, page));
    } catch (DeviceException failed) {
      LOG.warn(
          "prefix not read from the disk, to be computed again reason=\"{}\"", failed.getMessage());
    } finally {
      int found = read * tokens;
      engine.locked(() -> end(engine, sequence, found));
    }
  }

  private static @Nullable DevicePages begin(Sequence sequence) {
    if (sequence.state != SequenceState.OPEN) {
      return null;
    }
    sequence.uses++;
    return sequence.home.partition.pages;
  }

  private static int[] blocks(PageTable table, int page) {
    int[] blocks = new int[table.groups()];
    for (int group = 0; group < blocks.length; group++) {
      blocks[group] = table.block(page, group);
    }
    return blocks;
  }

  private static Sequence end(Engine engine, Sequence sequence, int found) {
    if (found > 0) {
      sequence.diskTokens = found;
      sequence.matchedTokens += found;
      sequence.writtenTokens = Math.max(sequence.writtenTokens, sequence.matchedTokens);
      sequence.home.partition.traffic.readBack(sequence, found);
      engine.publish(sequence, sequence.matchedTokens);
    }
    engine.endUse(sequence);
    return sequence;
  }
}
