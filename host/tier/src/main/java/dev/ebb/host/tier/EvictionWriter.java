package dev.ebb.host.tier;

import dev.ebb.host.admission.EvictedUse;
import dev.ebb.host.disk.DiskLog;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.store.EvictedValue;
import dev.ebb.host.store.EvictionListener;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.DiskKeyListener;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes evicted values to the disk, on a thread of its own. A small part of the pool holds them
 * until they are copied; beyond it, they are dropped as without a disk. Nobody waits for it.
 */
final class EvictionWriter implements EvictionListener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EvictionWriter.class);

  /**
   * The share of the pool that values on their way may use, but for one of any size: what eviction
   * ahead of demand evicts at once.
   */
  private static final double SHARE = 0.05;

  /** The same for a small pool, up to a quarter of it. */
  private static final long LEAST_HELD_BYTES = 8 << 20;

  private static final long CLOSE_SECONDS = 5;

  private final DiskStore tier;
  private final long mostHeldBytes;
  private final long largest;
  private final AtomicLong heldBytes = new AtomicLong();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("disk-evictions").factory());
  private volatile DiskKeyListener keyListener = DiskKeyListener.NONE;

  EvictionWriter(DiskStore tier, long poolBytes, long largest) {
    this.tier = tier;
    this.largest = largest;
    mostHeldBytes = Math.max((long) (poolBytes * SHARE), Math.min(LEAST_HELD_BYTES, poolBytes / 4));
  }

  void keyListener(DiskKeyListener listener) {
    keyListener = listener;
  }

  long heldBytes() {
    return heldBytes.get();
  }

  @Override
  public boolean wants(EvictedValue value) {
    if (thread.isShutdown()
        || value.bytes() > largest
        || !ValueRecord.mayBeWritten(value.mainKey(), value.bytes())
        || tier.isClearing()
        || !tier.log.isUsable()) {
      return false;
    }
    long hash = DiskLogs.hash(value.mainKey());
    if (tier.log.contains(hash)) {
      return false;
    }
    long held = heldBytes.get();
    if (held > 0 && held + value.bytes() > mostHeldBytes) {
      tier.files.shed.increment();
      return false;
    }
    return tier.files.admits(use(hash, value));
  }

  private static EvictedUse use(long hash, EvictedValue value) {
    return new EvictedUse(
        hash, value.uses(), value.depth(), value.childrenSeen(), -1, value.lastUse());
  }

  @Override
  public boolean isBrief() {
    return true;
  }

  @Override
  public void evicted(EvictedValue value, ValueReader reader) {
    byte[] mainKey = value.mainKey();
    long version = reader.version();
    long hash = DiskLogs.hash(mainKey);
    heldBytes.addAndGet(reader.length());
    keyListener.announced(hash, mainKey);
    DiskLog.Ticket ticket =
        tier.files.announce(hash, ValueRecord.parent(value.parent()), value.bytes());
    thread.execute(() -> write(value, reader, ticket));
    // Now, because a value that becomes outdated from here on is removed like any other.
    tier.outdated.isValid(mainKey, version);
  }

  /** Writes a value, unless the disk cannot take it. */
  private void write(EvictedValue value, ValueReader read, DiskLog.@Nullable Ticket ticket) {
    try (ValueReader reader = read) {
      if (ticket != null
          && ValueRecord.append(ticket, value, reader, TierFiles.PATIENCE)
              == DiskLog.Outcome.SHED) {
        tier.files.shed.increment();
      }
    } catch (RuntimeException failed) {
      if (ticket != null) {
        ticket.cancel();
      }
      LOG.warn("value not written to the disk reason=\"{}\"", failed.toString());
    } finally {
      heldBytes.addAndGet(-read.length());
    }
  }

  /** Writes what is queued. No more values may be evicted to it. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      var _ = thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
