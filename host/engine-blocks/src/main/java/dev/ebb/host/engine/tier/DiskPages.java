package dev.ebb.host.engine.tier;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.admission.EvictedUse;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.disk.DiskLog;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.DiskValue;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages of an engine in the files of the disk tier. Evicted pages are written on a thread of
 * its own, which nobody waits for. Thread-safe.
 */
public final class DiskPages implements PageQueue.Writer<DiskPages.EvictedPage>, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DiskPages.class);

  /** How many pages of a prompt are read at a time: enough for all threads of a file. */
  private static final int AHEAD = 16;

  /** The keys of pages beside values of clients, which cannot use such keys. */
  private static final String PREFIX = TierFiles.RESERVED + "page ";

  private final DiskTierConfig config;
  private final TierFiles files;
  private final byte[] prefix;
  private final boolean shared;
  private final DiskLogs log;
  private final PageQueue<EvictedPage> queue;
  private final PageListener listener;
  private final List<DevicePages> devices = new ArrayList<>();

  /** A page that is going to be written. */
  @SuppressWarnings("ArrayRecordComponent")
  record EvictedPage(byte[] key, long parent, DiskLog.Ticket ticket) {}

  private DiskPages(
      DiskTierConfig config,
      TierFiles files,
      byte[] prefix,
      int pageBytes,
      ReentrantLock lock,
      Condition freed,
      PageListener listener) {
    this.listener = listener;
    this.config = config;
    this.files = files;
    this.prefix = prefix;
    shared = prefix.length > 0;
    log = files.log;
    queue = new PageQueue<>("ebb-disk-evictions", pageBytes, lock, freed, this);
  }

  /**
   * Opens or creates the files of an engine, or uses those of a server.
   *
   * @param server the files of a server, which outlive these pages; null to open own ones
   * @param bytes the pages of one of its devices
   * @param freed signalled when blocks become free
   * @param listener receives which pages are going to be written, and which are in own files
   * @throws UserError if a file is not one of a disk tier, cannot be used, or has no room for a
   *     page
   */
  public static DiskPages open(
      DiskTierConfig config,
      @Nullable TierFiles server,
      PageBytes bytes,
      ReentrantLock lock,
      Condition freed,
      PageListener listener) {
    String namespace = "engine " + bytes.format();
    byte[] prefix = server == null ? new byte[0] : prefix(namespace);
    int largest =
        TierFiles.options(config, namespace).largestValue() - prefix.length - 2 * Long.BYTES;
    if (bytes.size() > largest) {
      throw new UserError(
          "ebb.tiers.disk.region-size '%s' has no room for a page of this model, '%s'; set it to '%s' or more"
              .formatted(
                  ByteSize.exact(config.regionBytes()),
                  ByteSize.format(bytes.size()),
                  ByteSize.exact(2L * Integer.highestOneBit(bytes.size()))));
    }
    TierFiles files = server == null ? TierFiles.open(config, namespace) : server;
    if (server == null) {
      files.log.listener(listener::onDisk);
    }
    return new DiskPages(config, files, prefix, bytes.size(), lock, freed, listener);
  }

  void add(DevicePages device) {
    devices.add(device);
  }

  /** Changes the rule by which evicted pages are written. */
  public void admit(AdmissionRule rule) {
    files.admit(rule);
  }

  private static byte[] prefix(String namespace) {
    byte[] fixed = PREFIX.getBytes(StandardCharsets.US_ASCII);
    long format = DiskLogs.hash(namespace.getBytes(StandardCharsets.UTF_8));
    return ByteBuffer.allocate(fixed.length + Long.BYTES).put(fixed).putLong(format).array();
  }

  private byte[] key(long low, long high) {
    return ByteBuffer.allocate(prefix.length + 2 * Long.BYTES)
        .put(prefix)
        .putLong(low)
        .putLong(high)
        .array();
  }

  private byte[] key(CacheEntry entry) {
    return key(entry.fingerprint(), entry.high());
  }

  private long parent(CacheEntry entry) {
    CacheEntry parent = entry.parent();
    return parent == null ? 0 : DiskLogs.hash(key(parent));
  }

  /** Returns whether the disk has a page, as far as hashes tell. */
  public boolean has(long low, long high) {
    return log.has(DiskLogs.hash(key(low, high)));
  }

  /** Removes a page; returns whether there was one. */
  public boolean remove(long low, long high) {
    return log.remove(DiskLogs.hash(key(low, high))) != null;
  }

  // Under the engine's lock, as the next two methods.
  void evicted(DevicePages device, CacheEntry entry) {
    byte[] key = key(entry);
    long hash = DiskLogs.hash(key);
    if (queue.isClosed() || !log.isUsable() || log.contains(hash) || !admits(device, hash, entry)) {
      return;
    }
    long parent = parent(entry);
    DiskLog.Ticket ticket = files.announce(hash, parent, device.bytes.size());
    if (ticket != null) {
      listener.announced(hash, entry.fingerprint());
      queue.add(device, entry, new EvictedPage(key, parent, ticket));
    }
  }

  private boolean admits(DevicePages device, long hash, CacheEntry entry) {
    if (!device.hasRoom()) {
      files.shed.increment();
      return false;
    }
    return files.admits(
        new EvictedUse(
            hash,
            entry.accesses(),
            entry.depth(),
            entry.childrenSeen(),
            -1,
            entry.lastAccessNanos()));
  }

  boolean drop(DevicePages device) {
    return queue.drop(device);
  }

  @Override
  public void write(EvictedPage page, MemorySegment bytes) {
    if (append(page, bytes, TierFiles.PATIENCE) == DiskLog.Outcome.SHED) {
      files.shed.increment();
    }
  }

  @Override
  public void dropped(EvictedPage page) {
    page.ticket.cancel();
    files.shed.increment();
  }

  private static DiskLog.Outcome append(EvictedPage page, MemorySegment bytes, Duration patience) {
    return page.ticket.append(
        page.key,
        new DiskLog.Properties((int) bytes.byteSize(), 0, DiskLog.NEVER, 0, page.parent),
        target -> target.put(bytes.asByteBuffer()),
        patience);
  }

  /**
   * Reads pages of a prompt that only the disk has, for at most {@code read-timeout}.
   *
   * @param to behind the last page of the prompt
   * @param blocks returns the blocks of a page, which no one else uses
   * @return how many pages were read, from the first one on
   */
  public int read(DevicePages device, KeyChain keys, int from, int to, IntFunction<int[]> blocks) {
    int end = from;
    while (end < to && has(keys.low(end), keys.high(end))) {
      end++;
    }
    for (int page = from; page < to; page++) {
      files.requested(DiskLogs.hash(key(keys.low(page), keys.high(page))));
    }
    int read = read(device.bytes, keys, from, end, blocks);
    files.pageHits.add(read);
    files.pageHitBytes.add((long) read * device.bytes.size());
    files.pageMisses.add(to - from - read);
    return read;
  }

  private int read(PageBytes bytes, KeyChain keys, int from, int to, IntFunction<int[]> blocks) {
    long deadline = System.nanoTime() + config.readTimeout().toNanos();
    Deque<CompletableFuture<@Nullable MemorySegment>> ahead = new ArrayDeque<>();
    int next = from;
    for (int page = from; page < to; page++) {
      while (next < to && ahead.size() < AHEAD) {
        byte[] key = key(keys.low(next), keys.high(next));
        ahead.add(
            log.read(DiskLogs.hash(key), buffer -> load(key, bytes.size(), buffer), none -> {}));
        next++;
      }
      MemorySegment loaded = await(ahead.remove(), deadline);
      if (loaded == null || !bytes.write(page, blocks.apply(page), loaded)) {
        return page - from;
      }
    }
    return to - from;
  }

  private @Nullable MemorySegment load(byte[] key, int size, ReadBuffer buffer) {
    DiskValue value = log.read(key, buffer);
    if (value == null || value.bytes().remaining() != size) {
      return null;
    }
    // A copy, because a late read must not write into blocks that the engine has gone on to use.
    byte[] bytes = new byte[size];
    value.bytes().get(bytes);
    return MemorySegment.ofArray(bytes);
  }

  private static @Nullable MemorySegment await(
      CompletableFuture<@Nullable MemorySegment> loading, long deadline) {
    try {
      return loading.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return null;
    } catch (TimeoutException | ExecutionException late) {
      return null;
    }
  }

  public DiskTierStats stats() {
    long held = queue.locked(() -> devices.stream().mapToLong(DevicePages::heldBytes).sum());
    return files.stats(
        files.pageHits.sum(), files.pageHitBytes.sum(), files.pageMisses.sum(), held);
  }

  /** Writes what was evicted, and the pages in memory if so configured. The engine is closed. */
  @Override
  public void close() {
    if (queue.close()) {
      try {
        files.saveOnStop("pages", this::unsaved, this::save);
      } catch (DeviceException failed) {
        LOG.warn("pages not saved to the disk reason=\"{}\"", failed.getMessage());
      }
    }
    if (!shared) {
      files.close();
    }
  }

  /** A page in memory. */
  private record CachedPage(DevicePages device, CacheEntry entry) {}

  /** Returns the pages in memory, those that were used last first: of a prompt its front first. */
  private List<CachedPage> unsaved() {
    List<CachedPage> unsaved = new ArrayList<>();
    for (DevicePages device : devices) {
      device
          .cached()
          .filter(entry -> !log.contains(DiskLogs.hash(key(entry))))
          .forEach(entry -> unsaved.add(new CachedPage(device, entry)));
    }
    unsaved.sort(
        Comparator.comparingLong((CachedPage page) -> -page.entry.lastAccessNanos())
            .thenComparingInt(page -> page.entry.depth()));
    return unsaved;
  }

  private long save(CachedPage page, Duration left) {
    CacheEntry entry = page.entry;
    byte[] key = key(entry);
    long parent = parent(entry);
    DiskLog.Ticket ticket = log.announce(DiskLogs.hash(key), parent);
    if (ticket == null) {
      return 0;
    }
    boolean copied = false;
    try {
      copied = page.device.bytes.read(entry.depth(), page.device.blocks(entry), queue.copy);
    } finally {
      if (!copied) {
        ticket.cancel();
      }
    }
    boolean added =
        copied
            && append(new EvictedPage(key, parent, ticket), queue.copy, left)
                == DiskLog.Outcome.ADDED;
    return added ? queue.copy.byteSize() : 0;
  }
}
