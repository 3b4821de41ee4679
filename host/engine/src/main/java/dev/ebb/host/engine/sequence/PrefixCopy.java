package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.pool.BlockTransfer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies pages of a new sequence's prompt that are cached on another device only. The originals
 * stay, and their device's policy evicts them when they are cold.
 */
final class PrefixCopy {

  private static final Logger LOG = LoggerFactory.getLogger(PrefixCopy.class);

  private PrefixCopy() {}

  /** Pins the pages until they are copied; under the engine's lock. */
  static void prepare(Sequence sequence, @Nullable DevicePartition source) {
    if (source != null) {
      sequence.copiedFrom =
          new SequenceBlocks(sequence, source, source.cachedPages(sequence.chain), List.of());
      sequence.uses++;
    }
  }

  /** Copies without the lock: the sequence is in use, so none of its blocks move. */
  static void into(Sequence sequence, Engine engine) {
    SequenceBlocks source = sequence.copiedFrom;
    if (source == null) {
      return;
    }
    SequenceBlocks home = sequence.home;
    int[] from = source.table.from(home.matchedPages);
    int[] to = Arrays.copyOf(home.table.from(home.matchedPages), from.length);
    boolean arrived = false;
    try {
      new BlockTransfer(source.partition.pool, home.partition.pool, false)
          .run(from, to, Long.MAX_VALUE);
      arrived = true;
    } catch (DeviceException failed) {
      LOG.warn(
          "prefix not copied, to be computed again from={} to={} reason=\"{}\"",
          source.partition.name(),
          home.partition.name(),
          failed.getMessage());
    } finally {
      boolean complete = arrived;
      engine.exclusively(() -> {
        if (complete) {
          sequence.matchedTokens = source.matchedPages * engine.layout().blockTokens();
          home.partition.traffic.copiedOver(
              sequence, from.length, sequence.matchedTokens - home.matchedTokens());
        }
        sequence.copiedFrom = null;
        source.release();
        engine.endUse(sequence);
      });
    }
  }
}
