package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.pool.PageTable;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.tier.DevicePages;
import dev.ebb.host.engine.tier.DiskPages;
import dev.ebb.host.engine.tier.RemotePages;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads pages of a new sequence's prompt that only the disk or a server has. They are cached again
 * immediately, so that others share them.
 */
final class PrefixRead {

  private static final Logger LOG = LoggerFactory.getLogger(PrefixRead.class);

  private PrefixRead() {}

  /** Reads without the lock: the sequence is in use, so none of its blocks move. */
  static void into(Sequence sequence, Engine engine) {
    DevicePages device =
        engine.disk == null && engine.remote == null ? null : engine.locked(() -> begin(sequence));
    if (device == null) {
      return;
    }
    int onDisk = 0;
    int remote = 0;
    try {
      KeyChain chain = sequence.chain;
      PageTable table = sequence.home.table;
      int from = sequence.matchedTokens / engine.layout().blockTokens();
      DiskPages disk = engine.disk;
      if (disk != null) {
        onDisk = disk.read(device, chain, from, chain.blocks(), table::page);
      }
      RemotePages server = engine.remote;
      if (server != null) {
        String model = sequence.asked.namespace().model();
        remote = server.read(device, model, chain, from + onDisk, chain.blocks(), table::page);
      }
    } catch (DeviceException failed) {
      LOG.warn(
          "prefix not read from a tier, to be computed again reason=\"{}\"", failed.getMessage());
    } finally {
      int fromDisk = onDisk * engine.layout().blockTokens();
      int fromServer = remote * engine.layout().blockTokens();
      engine.exclusively(() -> end(engine, sequence, fromDisk, fromServer));
    }
  }

  private static @Nullable DevicePages begin(Sequence sequence) {
    if (sequence.state != SequenceState.OPEN) {
      return null;
    }
    sequence.uses++;
    return sequence.home.partition.pages;
  }

  private static void end(Engine engine, Sequence sequence, int fromDisk, int fromServer) {
    int found = fromDisk + fromServer;
    if (found > 0) {
      sequence.diskTokens = fromDisk;
      sequence.remoteTokens = fromServer;
      sequence.matchedTokens += found;
      sequence.writtenTokens = Math.max(sequence.writtenTokens, sequence.matchedTokens);
      sequence.home.partition.traffic.readBack(sequence, fromDisk, fromServer);
      sequence.publish(sequence.matchedTokens);
    }
    sequence.home.begunNanos = System.nanoTime();
    engine.endUse(sequence);
  }
}
