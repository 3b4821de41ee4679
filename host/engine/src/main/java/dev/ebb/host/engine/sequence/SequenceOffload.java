package dev.ebb.host.engine.sequence;

import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.stats.OffloadStats;
import dev.ebb.host.engine.tier.OffloadStream;
import dev.ebb.host.engine.tier.OffloadedSequence;
import dev.ebb.host.engine.tier.RemoteConnection;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.segment.SegmentHeader;
import dev.ebb.host.segment.SegmentHeader.Shape;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the K and V of preempted sequences on an Ebb server, as segments, and reads them back. The
 * engine's lock is not held meanwhile. After a failure the sequence is computed again.
 */
public final class SequenceOffload {

  private static final Logger LOG = LoggerFactory.getLogger(SequenceOffload.class);

  private static final int NAME_BYTES = 8;

  private final Engine engine;
  private final OffloadConfig config;
  private final InetSocketAddress server;
  private final String prefix;

  // The following fields are guarded by the engine's lock.

  private int active;
  private boolean paused;
  private long pausedAt;
  private long stored;
  private long storedBytes;
  private long loaded;
  private long loadedBytes;
  private long failed;

  /**
   * Uses a server, which need not run yet.
   *
   * @throws UserError if its host is unknown
   */
  public SequenceOffload(Engine engine, OffloadConfig config, HostPort address) {
    this.engine = engine;
    this.config = config;
    server = RemoteConnection.resolve(address, "ebb.pool.offload.server");
    byte[] name = new byte[NAME_BYTES];
    new SecureRandom().nextBytes(name);
    prefix = "ebb:offload:" + HexFormat.of().formatHex(name) + ":";
  }

  OffloadStats stats() {
    return engine.locked(() -> new OffloadStats(stored, storedBytes, loaded, loadedBytes, failed));
  }

  /**
   * Preempts a sequence after its K and V are stored, or could not be. Under the engine's lock,
   * which is released meanwhile.
   *
   * @return false if nothing was done, because it would not be worth it
   */
  boolean preempt(Sequence victim) {
    OffloadedSequence target = target(victim, victim.writtenTokens);
    if (target == null) {
      return false;
    }
    SequenceBlocks home = victim.home;
    Thread.ofPlatform()
        .daemon()
        .name("ebb-offload")
        .start(() -> {
          boolean stored = false;
          try {
            stored = store(target, new KvAccess(engine, victim, home, true));
          } finally {
            OffloadedSequence result = stored ? target : null;
            engine.exclusively(() -> preempted(victim, home, result));
          }
        });
    // The owner's calls fail from now on, and the blocks stay in place.
    victim.state = SequenceState.PREEMPTED;
    engine.migrations.end(victim, "the sequence is preempted");
    home.copying = true;
    active++;
    while (home.copying) {
      engine.freed.awaitUninterruptibly();
    }
    return true;
  }

  private void preempted(Sequence victim, SequenceBlocks home, @Nullable OffloadedSequence result) {
    home.copying = false;
    victim.offloaded = result;
    active--;
    engine.release(victim, SequenceState.PREEMPTED);
    engine.freed.signalAll();
  }

  /** Stores the first tokens of a sequence that its owner is about to end; null if it did not. */
  @Nullable OffloadedSequence store(Sequence sequence, int written) {
    OffloadedSequence target =
        engine.locked(() -> {
          boolean open = sequence.state == SequenceState.OPEN;
          OffloadedSequence planned = open ? target(sequence, written) : null;
          sequence.uses += planned == null ? 0 : 1;
          return planned;
        });
    if (target == null) {
      return null;
    }
    try {
      return store(target, new KvAccess(engine, sequence, sequence.home, true)) ? target : null;
    } finally {
      engine.exclusively(() -> engine.endUse(sequence));
    }
  }

  /** Waits until no preempted sequence is being stored; under the engine's lock. */
  void await() {
    while (active > 0) {
      engine.freed.awaitUninterruptibly();
    }
  }

  /** Returns what is to be stored of a sequence; null if it is too short. */
  private @Nullable OffloadedSequence target(Sequence sequence, int written) {
    KvLayout layout = engine.layout();
    int pages = written / layout.blockTokens();
    int tokens = pages * layout.blockTokens();
    boolean waiting = paused && System.nanoTime() - pausedAt < RemoteConnection.PAUSE_NANOS;
    if (tokens < Math.max(1, config.minTokens()) || sequence.stored.pruned() || waiting) {
      return null;
    }
    return new OffloadedSequence(
        prefix + sequence.id,
        Shape.of(layout, tokens),
        pages,
        sequence.chain.low(pages - 1),
        sequence.chain.high(pages - 1));
  }

  private boolean store(OffloadedSequence target, KvAccess access) {
    KvLayout layout = engine.layout();
    try (RemoteConnection connection = connect()) {
      CRC32C checksum = new CRC32C();
      SequenceBytes.read(
          access,
          layout,
          target.tokens(),
          pieces -> {
            connection.checkTime();
            update(checksum, pieces);
          });
      OffloadStream stream = new OffloadStream(connection, target);
      stream.write(
          SegmentHeader.of(target.shape()).withPayloadChecksum((int) checksum.getValue()).encode());
      SequenceBytes.read(access, layout, target.tokens(), stream::write);
      stream.stored();
      engine.exclusively(() -> {
        paused = false;
        stored++;
        storedBytes += target.bytes();
      });
      return true;
    } catch (IOException | DeviceException failed) {
      failed("not offloaded", target, failed);
      return false;
    }
  }

  /** Reads K and V into a new sequence that has not matched as much; computes nothing. */
  void load(OffloadedSequence source, Sequence sequence) {
    if (!engine.locked(() -> begin(source, sequence))) {
      return;
    }
    boolean loaded = false;
    try {
      loaded = load(source, new KvAccess(engine, sequence, sequence.home, false));
    } finally {
      int tokens = loaded ? source.tokens() : 0;
      engine.exclusively(() -> {
        sequence.matchedTokens = Math.max(sequence.matchedTokens, tokens);
        sequence.writtenTokens = Math.max(sequence.writtenTokens, tokens);
        engine.endUse(sequence);
      });
    }
  }

  private static boolean begin(OffloadedSequence source, Sequence sequence) {
    boolean useful =
        sequence.state == SequenceState.OPEN && sequence.matchedTokens < source.tokens();
    sequence.uses += useful ? 1 : 0;
    return useful;
  }

  private boolean load(OffloadedSequence source, KvAccess access) {
    try (RemoteConnection connection = connect()) {
      OffloadStream stream = new OffloadStream(connection, source);
      ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
      stream.read(bytes);
      SegmentHeader header = SegmentHeader.decode(bytes.flip(), source.bytes());
      if (!source.shape().equals(header.shape())) {
        throw new IOException("the segment has the shape '%s'".formatted(header.shape()));
      }
      CRC32C checksum = new CRC32C();
      SequenceBytes.write(
          access,
          engine.layout(),
          source.tokens(),
          pieces -> {
            ByteBuffer[] filled = new ByteBuffer[pieces.length];
            for (int i = 0; i < pieces.length; i++) {
              filled[i] = pieces[i].duplicate();
            }
            stream.read(pieces);
            update(checksum, filled);
          });
      if ((int) checksum.getValue() != header.payloadChecksum()) {
        throw new IOException("the payload of the segment is damaged");
      }
      connection.write(RemoteConnection.command(1 + source.keys().length, "DEL", source.keys()));
      engine.exclusively(() -> {
        loaded++;
        loadedBytes += source.bytes();
      });
      return true;
    } catch (IOException | DeviceException | UserError failed) {
      failed("not read back", source, failed);
      return false;
    }
  }

  private RemoteConnection connect() throws IOException {
    long deadline = System.nanoTime() + config.timeout().toNanos();
    return RemoteConnection.open(server, config.password(), deadline);
  }

  private static void update(CRC32C checksum, ByteBuffer... pieces) {
    for (ByteBuffer piece : pieces) {
      checksum.update(piece);
    }
  }

  private void failed(String what, OffloadedSequence sequence, Exception failure) {
    LOG.warn(
        "sequence {}, to be computed again server={} tokens={} reason=\"{}\"",
        what,
        server,
        sequence.tokens(),
        failure.getMessage());
    engine.exclusively(() -> {
      paused = true;
      pausedAt = System.nanoTime();
      failed++;
    });
  }
}
