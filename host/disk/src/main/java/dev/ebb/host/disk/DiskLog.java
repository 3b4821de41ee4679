package dev.ebb.host.disk;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.disk.format.RecordFormat;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.disk.format.RegionBuffer;
import dev.ebb.host.disk.format.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Values by key on a disk, in a file of bounded size. Values are added at the end of a log. When it
 * is full, the oldest region is reused: of its values, those are kept that were read since they
 * were written, up to half a region.
 *
 * <p>The index in memory has hashes of keys, not keys. A value is returned only if its key, its
 * namespace and its checksums are right, so that damage and collisions are misses.
 *
 * <p>What was removed never comes back: a tombstone is on the disk when {@link #remove} completes.
 *
 * <p>Thread-safe. Only {@link #read}, {@link #describe} and {@link Ticket#append} may wait for the
 * disk or copy values; all other methods return quickly.
 */
public final class DiskLog implements AutoCloseable {

  /** The expiry of a value without one. */
  public static final long NEVER = RecordHeader.NEVER;

  private static final Logger LOG = LoggerFactory.getLogger(DiskLog.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  final String name;
  final Superblock superblock;
  final DiskIndex index = new DiskIndex();
  final AtomicLongArray generations;
  final DiskCounters counters;
  final RecordFormat format;
  final long digest;
  final DiskWriter writer;
  final DiskReads reads;
  private final RecordReader reader;

  /** An announced value, which is to be added or cancelled. */
  public final class Ticket {

    final long hash;
    final long location = writer.nextTicket();
    private final long stamp = writer.nextStamp();

    private Ticket(long hash) {
      this.hash = hash;
    }

    /** Returns the number of the file that is going to have the value. */
    int file() {
      return superblock.member().number();
    }

    public void cancel() {
      index.replace(hash, location, Location.NONE);
    }

    /**
     * Adds an announced value, for which it waits some time; the body places value and metadata.
     */
    public Outcome append(
        byte[] key, Properties properties, Consumer<ByteBuffer> body, Duration patience) {
      RecordHeader header =
          new RecordHeader(
              RecordHeader.Type.VALUE,
              properties.group,
              hash,
              key.length,
              properties.length,
              properties.attachment,
              Math.min(properties.expiresAt, NEVER),
              properties.parent,
              stamp,
              digest,
              0,
              format.seals());
      Outcome outcome = Outcome.TOO_LARGE;
      if ((long) key.length + properties.length + properties.attachment
          <= DiskOptions.largestValue(superblock.regionBytes())) {
        outcome = append(header, target -> body.accept(target.put(key)), patience);
      }
      switch (outcome) {
        case ADDED -> {
          counters.writtenValues.increment();
          counters.writtenValueBytes.add(header.bytes());
        }
        case SHED, TOO_LARGE -> {
          cancel();
          counters.shedValues.increment();
        }
        case OUTDATED -> {}
      }
      return outcome;
    }

    private Outcome append(RecordHeader header, RegionBuffer.Body body, Duration patience) {
      long end = System.nanoTime() + patience.toNanos();
      Outcome outcome = writer.append(this, header, body);
      while (outcome == Outcome.SHED && writer.isUsable() && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(RETRY_NANOS);
        outcome = writer.append(this, header, body);
      }
      return outcome;
    }
  }

  /** What became of a value. */
  public enum Outcome {
    /** It can be read. */
    ADDED,
    /** It was removed or replaced meanwhile. */
    OUTDATED,
    /** The disk is too slow, or out of use. */
    SHED,
    /** It does not fit into a region. */
    TOO_LARGE
  }

  /**
   * The properties of a value.
   *
   * @param length its bytes
   * @param attachment the bytes of its metadata, which follow
   * @param expiresAt wall-clock milliseconds; {@link #NEVER} for none
   * @param group its object group, 0 to 32,767; 0 for none
   * @param parent the hash of the key of the chunk before it; 0 if unknown
   */
  public record Properties(int length, int attachment, long expiresAt, int group, long parent) {}

  /** The description of a value, with the wall-clock milliseconds when it was written first. */
  public record Description(Properties properties, long writtenAt) {}

  DiskLog(
      BlockFile.Opener opener,
      BlockFile file,
      String name,
      Superblock superblock,
      DiskOptions options,
      AtomicLong clock,
      DiskCounters counters)
      throws IOException {
    this.name = name;
    this.counters = counters;
    reads = new DiskReads(name, options.readTimeout(), counters);
    this.superblock = superblock;
    digest = DiskFormat.digest(options.namespace());
    generations = new AtomicLongArray(superblock.regions());
    long begun = System.nanoTime();
    format = new RecordFormat(options.key());
    Recovery recovery = new Recovery(this, file);
    recovery.run();
    counters.damagedRecords.add(recovery.damagedRecords());
    LOG.info(
        "disk tier opened file={} values={} bytes={} regions={} scanned={} damaged={} direct={}"
            + " encrypted={} millis={}",
        name,
        index.size(),
        index.liveBytes(),
        superblock.regions(),
        recovery.scannedRegions(),
        recovery.damagedRecords(),
        file.isDirect(),
        format.seals(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    clock.accumulateAndGet(recovery.lastStamp(), Math::max);
    OpenRegions regions = new OpenRegions(this);
    writer =
        new DiskWriter(
            this, opener, file, options.flushAfter(), regions, recovery.nextGeneration(), clock);
    reader = new RecordReader(this, regions);
  }

  void start() {
    writer.start();
  }

  /** Returns whether the disk is in use; it is not after a failure. */
  public boolean isUsable() {
    return writer.isUsable();
  }

  /** Returns whether it has a value, as far as hashes tell. */
  public boolean contains(long hash) {
    long location = index.get(hash);
    return location != Location.NONE && !Location.isAnnounced(location) && writer.isUsable();
  }

  /** Returns whether it has a value that may have expired. */
  public boolean mayHaveExpired(long hash) {
    return Location.expires(index.get(hash));
  }

  /** Returns whether a value that was read is still the newest, and not removed. */
  public boolean isCurrent(long hash, DiskValue value) {
    return Location.same(index.get(hash), value.location());
  }

  /** Returns whether it has a value or an announced one, also while the disk is out of use. */
  boolean knows(long hash) {
    return index.get(hash) != Location.NONE;
  }

  /** Returns the stamp of a value; 0 if it cannot be read. */
  long stamp(long hash, ReadBuffer buffer) {
    return reader.stamp(hash, index.get(hash), buffer);
  }

  /** Announces a value; returns null if it has one already, or the disk is out of use. */
  public @Nullable Ticket announce(long hash) {
    if (!writer.isUsable()) {
      return null;
    }
    Ticket ticket = new Ticket(hash);
    return index.putIfAbsent(hash, ticket.location) ? ticket : null;
  }

  /**
   * Removes the value of a hash, announced or added, which is not returned any more in any case;
   * null if it has none. Completes when the removal survives a crash, fails if it cannot.
   */
  public @Nullable CompletableFuture<Void> remove(long hash) {
    return index.remove(hash) == Location.NONE ? null : writer.remove(hash);
  }

  /** Removes all values; completes when that survives a crash. */
  public CompletableFuture<Void> clear() {
    index.clear();
    return writer.clear();
  }

  /** Returns null if there is none, it has expired, or it cannot be read. */
  public @Nullable DiskValue read(byte[] key, ReadBuffer buffer) {
    long hash = DiskFormat.hash(key);
    long location = index.get(hash);
    if (location == Location.NONE || Location.isAnnounced(location) || !writer.isUsable()) {
      return null;
    }
    RecordReader.Result result = reader.read(key, hash, location, Location.bytes(location), buffer);
    DiskValue value = result.value();
    if (value != null) {
      index.read(hash, location);
      counters.readValues.increment();
      counters.readBytes.add(Location.bytes(location));
    } else if (result.damaged() && index.replace(hash, location, Location.NONE)) {
      counters.damagedRecords.increment();
      // It might be read correctly after a restart, when a newer value was removed.
      var _ = writer.remove(hash);
    }
    return value;
  }

  /** Returns the description of a value without its bytes; null as for {@link #read}. */
  public @Nullable Description describe(byte[] key, ReadBuffer buffer) {
    long hash = DiskFormat.hash(key);
    long location = index.get(hash);
    if (location == Location.NONE || Location.isAnnounced(location) || !writer.isUsable()) {
      return null;
    }
    return reader.describe(key, hash, location, buffer);
  }

  static boolean sameKey(ByteBuffer record, int at, byte[] key) {
    byte[] found = new byte[key.length];
    record.get(at, found);
    return Arrays.equals(found, key);
  }

  /** Writes all that was added, and closes the file. */
  @Override
  public void close() {
    reads.close();
    writer.close();
  }
}
