package dev.ebb.host.engine.tier;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.config.RemoteTierConfig;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.Sha256;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Deque;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pages that engines share through an Ebb server: each writes what it has computed, and reads what
 * others have. A server that is away or slow costs hits only. Thread-safe.
 */
public final class RemotePages implements PageQueue.Writer<byte[]>, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RemotePages.class);

  private static final int FORMAT_BYTES = 8;

  private final RemoteTierConfig config;
  private final InetSocketAddress server;
  private final String format;
  private final ReadRule rule = new ReadRule();
  private final Deque<RemoteConnection> idle = new ConcurrentLinkedDeque<>();
  private final PageQueue<byte[]> queue;
  private final LongAdder written = new LongAdder();
  private final LongAdder writtenBytes = new LongAdder();
  private final LongAdder shed = new LongAdder();
  private final LongAdder read = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder missed = new LongAdder();
  private final LongAdder skipped = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private volatile boolean closed;
  private volatile @Nullable Outage outage;

  private record Outage(String reason, long atNanos) {}

  /**
   * Uses a server, which need not run yet.
   *
   * @param bytes the pages of one of the engine's devices
   * @param freed signalled when blocks become free
   * @throws UserError if the host of the server is unknown
   */
  public RemotePages(
      RemoteTierConfig config,
      HostPort address,
      PageBytes bytes,
      ReentrantLock lock,
      Condition freed) {
    this.config = config;
    server = RemoteConnection.resolve(address, "ebb.tiers.remote.server");
    byte[] digest = Sha256.digest().digest(bytes.format().getBytes(StandardCharsets.UTF_8));
    format = HexFormat.of().formatHex(digest, 0, FORMAT_BYTES);
    queue = new PageQueue<>("ebb-remote-pages", bytes.size(), lock, freed, this);
  }

  /** Returns a key in the form of LMCache, so that the server knows model and hash. */
  private byte[] key(String model, long low, long high) {
    HexFormat hex = HexFormat.of();
    return (model + "@1@0@" + hex.toHexDigits(low) + hex.toHexDigits(high) + format + "@uint8")
        .getBytes(StandardCharsets.UTF_8);
  }

  // Under the engine's lock, as the next method.
  void published(DevicePages device, CacheEntry entry, String model) {
    if (isPaused() || queue.isClosed()) {
      return;
    }
    if (device.hasRoom()) {
      queue.add(device, entry, key(model, entry.fingerprint(), entry.high()));
    } else {
      shed.increment();
    }
  }

  boolean drop(DevicePages device) {
    return queue.drop(device);
  }

  /** Reports how long a sequence took for its first pages. */
  void computed(int pages, long nanos) {
    rule.computed(pages, nanos);
  }

  @Override
  public void dropped(byte[] key) {
    shed.increment();
  }

  @Override
  public void write(byte[] key, MemorySegment bytes) {
    if (!isPaused()) {
      connected(
          connection -> {
            connection.write(RemoteConnection.command(2, "EXISTS", key));
            if (connection.number() == 0) {
              // Of its own, because a second attempt sends all bytes again.
              store(connection, key, bytes.asByteBuffer());
            }
          },
          false);
    }
  }

  private void store(RemoteConnection connection, byte[] key, ByteBuffer page) throws IOException {
    int size = PageValues.send(connection, key, page, null);
    PageValues.requireStored(connection);
    written.increment();
    writtenBytes.add(size);
  }

  /**
   * Reads pages of a prompt that no tier of this engine has, for at most the timeout, unless
   * computing them is faster.
   *
   * @param to behind the last page of the prompt
   * @param blocks returns the blocks of a page, which no one else uses
   * @return how many pages were read, from the first one on
   */
  public int read(
      DevicePages device,
      String model,
      KeyChain keys,
      int from,
      int to,
      IntFunction<int[]> blocks) {
    if (from >= to || isPaused()) {
      return 0;
    }
    if (!rule.reads()) {
      skipped.add(to - from);
      return 0;
    }
    PageValues reading =
        new PageValues(
            device.bytes, page -> key(model, keys.low(page), keys.high(page)), from, to, blocks);
    long begun = System.nanoTime();
    connected(reading::read, false);
    int found = reading.next() - from;
    rule.read(found, System.nanoTime() - begun);
    read.add(found);
    readBytes.add((long) found * device.bytes.size());
    missed.add(to - reading.next());
    return found;
  }

  /** Work on a connection. */
  private interface Work {
    void on(RemoteConnection connection) throws IOException;
  }

  /** Works on an idle connection or, again, on a new one. */
  private void connected(Work work, boolean again) {
    long deadline = System.nanoTime() + config.timeout().toNanos();
    RemoteConnection used = again ? null : idle.poll();
    boolean fresh = used == null;
    try {
      RemoteConnection connection =
          used == null ? RemoteConnection.open(server, config.password(), deadline) : used;
      used = connection;
      connection.until(deadline);
      work.on(connection);
      idle.push(connection);
      outage = null;
      if (closed) {
        closeIdle();
      }
    } catch (IOException failure) {
      close(used);
      // The server may have closed an idle connection.
      if (fresh || closed) {
        failed(failure);
      } else {
        connected(work, true);
      }
    }
  }

  private void failed(IOException failure) {
    failed.increment();
    if (outage == null && !closed) {
      LOG.warn(
          "pages are not shared, tried again in {} seconds server={} reason=\"{}\"",
          TimeUnit.NANOSECONDS.toSeconds(RemoteConnection.PAUSE_NANOS),
          server,
          failure.getMessage());
    }
    outage = new Outage(String.valueOf(failure.getMessage()), System.nanoTime());
  }

  private boolean isPaused() {
    Outage last = outage;
    return closed
        || (last != null && System.nanoTime() - last.atNanos < RemoteConnection.PAUSE_NANOS);
  }

  private static void close(@Nullable RemoteConnection connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (IOException alreadyBroken) {
      LOG.debug("connection not closed", alreadyBroken);
    }
  }

  private void closeIdle() {
    for (RemoteConnection each = idle.poll(); each != null; each = idle.poll()) {
      close(each);
    }
  }

  public RemoteTierStats stats() {
    Outage last = outage;
    return new RemoteTierStats(
        server.getHostString() + ":" + server.getPort(),
        last == null ? null : last.reason,
        written.sum(),
        writtenBytes.sum(),
        shed.sum(),
        read.sum(),
        readBytes.sum(),
        missed.sum(),
        skipped.sum(),
        failed.sum());
  }

  /** Writes what waits, for a few seconds at most, and disconnects. */
  @Override
  public void close() {
    var _ = queue.close();
    closed = true;
    closeIdle();
  }

  /**
   * Decides whether pages are read: unless computing them, from the opening of a sequence to its
   * first published page, has been faster lately. Tries again now and then.
   */
  static final class ReadRule {

    private static final double WEIGHT = 0.1;
    private static final long AGAIN_NANOS = Duration.ofSeconds(10).toNanos();

    private double computeNanos = Double.NaN;
    private double readNanos = Double.NaN;
    private long lastRead;

    synchronized void computed(int pages, long nanos) {
      computeNanos = average(computeNanos, (double) nanos / pages);
    }

    synchronized void read(int pages, long nanos) {
      lastRead = System.nanoTime();
      if (pages > 0) {
        readNanos = average(readNanos, (double) nanos / pages);
      }
    }

    synchronized boolean reads() {
      return !(readNanos > computeNanos) || System.nanoTime() - lastRead > AGAIN_NANOS;
    }

    private static double average(double before, double value) {
      return Double.isNaN(before) ? value : before + WEIGHT * (value - before);
    }
  }
}
