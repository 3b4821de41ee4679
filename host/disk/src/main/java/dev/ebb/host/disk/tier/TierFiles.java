package dev.ebb.host.disk.tier;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.admission.EvictedUse;
import dev.ebb.host.admission.WriteAdmission;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.OnStopChoice;
import dev.ebb.host.disk.DiskLog;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.DiskOptions;
import dev.ebb.host.disk.format.DiskKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToLongBiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open files of a disk tier, with its admission. Thread-safe. */
public final class TierFiles implements AutoCloseable {

  /** Keys that begin with it are not those of clients: see {@link #isReserved}. */
  public static final String RESERVED = "\0\0ebb ";

  private static final byte[] RESERVED_BYTES = RESERVED.getBytes(StandardCharsets.US_ASCII);

  private static final Logger LOG = LoggerFactory.getLogger(TierFiles.class);

  /** How long an evicted value is kept if the disk is too slow. */
  public static final Duration PATIENCE = Duration.ofSeconds(1);

  private final DiskTierConfig config;
  public final DiskLogs log;

  /** Evicted values that the admission rejected. */
  private final LongAdder rejected = new LongAdder();

  /** Evicted values that were dropped because the disk was too slow. */
  public final LongAdder shed = new LongAdder();

  /** Pages of sequences that were read, their bytes, and those that were looked for in vain. */
  public final LongAdder pageHits = new LongAdder();

  public final LongAdder pageHitBytes = new LongAdder();
  public final LongAdder pageMisses = new LongAdder();

  private final ExpectedParents parents = new ExpectedParents();
  private volatile WriteAdmission rule;

  private TierFiles(DiskTierConfig config, DiskLogs log) {
    this.config = config;
    this.log = log;
    rule = config.admission().create().apply(System::nanoTime);
  }

  /** Opens or creates the files, which can be read immediately; others' namespaces are misses. */
  public static TierFiles open(DiskTierConfig config, String namespace) {
    return new TierFiles(config, DiskLogs.open(config.paths(), options(config, namespace)));
  }

  /**
   * Returns the options of each file; fails if its sizes do not fit together, or there is no key.
   */
  public static DiskOptions options(DiskTierConfig config, String namespace) {
    DiskOptions.checkRegion(config.regionBytes());
    Path keyFile = config.keyFile();
    return new DiskOptions(
        config.sizeBytes(),
        (int) config.regionBytes(),
        namespace,
        DiskOptions.FLUSH_AFTER,
        config.readTimeout(),
        keyFile == null ? null : DiskKey.read(keyFile));
  }

  /** Fails if a server would refuse a configuration; changes nothing. */
  public static void check(DiskTierConfig config) {
    DiskLogs.check(config.paths(), options(config, ""));
  }

  /** Returns whether a key is one of Ebb itself, whose value no client may read or replace. */
  public static boolean isReserved(byte[] key) {
    int length = RESERVED_BYTES.length;
    return key.length >= length && Arrays.equals(key, 0, length, RESERVED_BYTES, 0, length);
  }

  public static String names(DiskTierConfig config) {
    return config.paths().stream().map(Path::toString).collect(Collectors.joining(", "));
  }

  /** Returns whether an evicted value is to be written: its rule, or values behind it, want it. */
  public boolean admits(EvictedUse value) {
    boolean likely = rule.admits(value);
    // What the disk has of its prompt is of no use without it.
    boolean admitted = parents.remove(value.key()) || likely;
    if (!admitted) {
      rejected.increment();
    }
    return admitted;
  }

  /** Announces an admitted value behind another, 0 if unknown; null if the disk cannot take it. */
  public DiskLog.@Nullable Ticket announce(long hash, long parent, long bytes) {
    if (parent != 0 && !log.contains(parent)) {
      parents.add(parent);
    }
    DiskLog.Ticket ticket = log.announce(hash, parent);
    if (ticket != null) {
      rule.written(bytes);
    }
    return ticket;
  }

  /** Reports that a value which may have been evicted is requested, or stored, again. */
  public void requested(long hash) {
    rule.requested(hash);
  }

  /** Changes the rule of the admission, which learns from the start again. */
  public void admit(AdmissionRule next) {
    rule = next.create().apply(System::nanoTime);
  }

  /**
   * Saves what is in memory when a process ends, if that is configured: as long as there is time,
   * and room without losing the first ones again.
   *
   * @param unsaved what the disk does not have, the most useful first
   * @param save saves one in the time that is left; returns the bytes that were added
   */
  public <T> void saveOnStop(
      String what, Supplier<List<T>> unsaved, ToLongBiFunction<T, Duration> save) {
    if (config.onStop() != OnStopChoice.SAVE) {
      return;
    }
    long end = System.nanoTime() + config.saveTimeout().toNanos();
    long room = log.stats().capacityBytes() - 2 * config.regionBytes() * log.files();
    List<T> all = unsaved.get();
    int tried = 0;
    int saved = 0;
    long bytes = 0;
    try {
      while (tried < all.size() && bytes < room && System.nanoTime() - end < 0 && log.isUsable()) {
        Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
        long added = save.applyAsLong(all.get(tried++), left);
        saved += added > 0 ? 1 : 0;
        bytes += added;
      }
    } finally {
      LOG.info(
          "memory saved to the disk {}={} bytes={} left={}",
          what,
          saved,
          bytes,
          all.size() - tried);
    }
  }

  /**
   * Returns the state and the counters, with those of the memory before the disk: see {@link
   * DiskTierStats}.
   */
  public DiskTierStats stats(long hits, long hitBytes, long misses, long heldBytes) {
    return new DiskTierStats(
        names(config),
        log.outage(),
        log.files(),
        log.filesInTime(),
        log.stats(),
        hits,
        hitBytes,
        misses,
        log.latency(),
        rejected.sum(),
        shed.sum(),
        heldBytes);
  }

  /** Ends the reads, writes what was added, and closes the files. */
  @Override
  public void close() {
    log.close();
  }

  /**
   * Values that are still in memory, and behind which values are on the disk already: these are of
   * no use without them. A later one replaces an earlier one in the same slot. Thread-safe.
   */
  private static final class ExpectedParents {

    /** A power of two. */
    private static final int SLOTS = 1 << 16;

    private final AtomicLongArray hashes = new AtomicLongArray(SLOTS);

    void add(long hash) {
      hashes.set(slot(hash), hash);
    }

    /** Removes a value; returns whether it was expected. */
    boolean remove(long hash) {
      return hashes.compareAndSet(slot(hash), hash, 0);
    }

    private static int slot(long hash) {
      return (int) hash & SLOTS - 1;
    }
  }
}
