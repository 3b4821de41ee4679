package dev.ebb.host.engine.sequence;

import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.stats.OffloadStats;
import dev.ebb.host.engine.tier.OffloadedSequence;
import dev.ebb.host.engine.tier.PageValues;
import dev.ebb.host.engine.tier.PoolPages;
import dev.ebb.host.engine.tier.RemoteConnection;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the pages of preempted sequences on an Ebb server, and reads them back. The engine's lock
 * is not held meanwhile. After a failure the sequence is computed again.
 */
public final class SequenceOffload {

  private static final Logger LOG = LoggerFactory.getLogger(SequenceOffload.class);

  private static final int NAME_BYTES = 8;

  /** After it, the server removes what nobody has read. */
  private static final int LIFETIME_SECONDS = 600;

  /** How many pages are named in one command, or sent before their replies are read. */
  private static final int TOGETHER = 1_024;

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
            stored = store(target, home);
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
      return store(target, sequence.home) ? target : null;
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
    int pages = written / engine.layout().blockTokens();
    int tokens = pages * engine.layout().blockTokens();
    boolean waiting = paused && System.nanoTime() - pausedAt < RemoteConnection.PAUSE_NANOS;
    if (tokens < Math.max(1, config.minTokens()) || sequence.stored.pruned() || waiting) {
      return null;
    }
    return new OffloadedSequence(
        prefix + sequence.id,
        pages,
        tokens,
        sequence.chain.low(pages - 1),
        sequence.chain.high(pages - 1));
  }

  /** Stores pages, which stay in place and are not written meanwhile. */
  private boolean store(OffloadedSequence target, SequenceBlocks from) {
    PoolPages bytes = new PoolPages(from.partition.pool);
    try (RemoteConnection connection = connect();
        Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(bytes.size(), Long.BYTES);
      for (int page = 0; page < target.pages(); page++) {
        bytes.read(page, from.table.page(page), copy);
        var _ =
            PageValues.send(connection, target.key(page), copy.asByteBuffer(), LIFETIME_SECONDS);
        int unread = page % TOGETHER + 1;
        if (unread == TOGETHER || page + 1 == target.pages()) {
          for (int i = 0; i < unread; i++) {
            PageValues.requireStored(connection);
          }
        }
      }
      // A server that is full may reply with +OK and store nothing.
      int has = 0;
      for (int first = 0; first < target.pages(); first += TOGETHER) {
        command(connection, "EXISTS", target, first);
        has += (int) connection.number();
      }
      if (has < target.pages()) {
        throw new IOException("the server has no room");
      }
      engine.exclusively(() -> {
        paused = false;
        stored++;
        storedBytes += (long) target.pages() * bytes.size();
      });
      return true;
    } catch (IOException | DeviceException failed) {
      failed("not offloaded", target, failed);
      return false;
    }
  }

  private static void command(
      RemoteConnection connection, String name, OffloadedSequence sequence, int first)
      throws IOException {
    int count = Math.min(TOGETHER, sequence.pages() - first);
    byte[][] keys =
        IntStream.range(first, first + count).mapToObj(sequence::key).toArray(byte[][]::new);
    connection.write(RemoteConnection.command(1 + count, name, keys));
  }

  /** Reads K and V into a new sequence that has not matched as much; computes nothing. */
  void load(OffloadedSequence source, Sequence sequence) {
    if (!engine.locked(() -> begin(source, sequence))) {
      return;
    }
    boolean loaded = false;
    try {
      loaded = load(source, sequence.home, sequence.matchedTokens / engine.layout().blockTokens());
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

  /** Reads pages behind those that have matched. */
  private boolean load(OffloadedSequence source, SequenceBlocks into, int matched) {
    PoolPages bytes = new PoolPages(into.partition.pool);
    try (RemoteConnection connection = connect()) {
      PageValues values =
          new PageValues(bytes, source::key, matched, source.pages(), into.table::page);
      values.read(connection);
      if (values.next() < source.pages()) {
        throw new IOException("the server has evicted it");
      }
      remove(connection, source);
      engine.exclusively(() -> {
        loaded++;
        loadedBytes += (long) (source.pages() - matched) * bytes.size();
      });
      return true;
    } catch (IOException | DeviceException failed) {
      failed("not read back", source, failed);
      return false;
    }
  }

  /** Removes the values, which have been read: a failure costs only their memory for a while. */
  private void remove(RemoteConnection connection, OffloadedSequence source) {
    try {
      for (int first = 0; first < source.pages(); first += TOGETHER) {
        command(connection, "DEL", source, first);
        connection.number();
      }
    } catch (IOException failed) {
      LOG.warn("values not removed server={} reason=\"{}\"", server, failed.getMessage());
    }
  }

  private RemoteConnection connect() throws IOException {
    long deadline = System.nanoTime() + config.timeout().toNanos();
    return RemoteConnection.open(server, config.password(), deadline);
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
