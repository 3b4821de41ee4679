package dev.ebb.host.disk;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.disk.format.RegionBuffer;
import dev.ebb.host.disk.format.Superblock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that writes. Values are placed in the memory of a region by their own threads; when it
 * is full and no other is free, they are shed. After a failure the disk is out of use until it can
 * be opened and written again.
 *
 * <p>The order that makes removals final: a value leaves the index only when its record is invalid
 * on the disk, by the next generation of its region, or a tombstone is going to be written. Regions
 * are reused in the order in which they were filled, so a tombstone is never dropped before the
 * records that it removes.
 */
final class DiskWriter implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DiskWriter.class);

  /** Less is written only after some time, or if someone waits for it. */
  private static final int LEAST_WRITTEN = 4 << 20;

  private static final int PAUSE_MILLIS = 20;
  private static final int MOST_READ_FAILURES = 3;

  /** More removals than this are replaced by the removal of all values. */
  private static final int MOST_REMOVALS = 1 << 18;

  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(60);

  private final DiskLog log;
  private final BlockFile.Opener opener;
  private final long flushNanos;
  private final OpenRegions regions;
  private final RegionReuse reuse;
  private final Thread thread = new Thread(this::run, "disk-writer");

  private final Semaphore wake = new Semaphore(0);

  /** That of all files of the set, so that the newer one of two records is known. */
  private final AtomicLong lastStamp;

  private final AtomicLong lastTicket = new AtomicLong();
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

  // Of the writer thread only.
  private Superblock superblock;
  private long nextGeneration;
  private List<Request> unforced = new ArrayList<>();
  private boolean clearOnReturn;
  private long writtenNanos = System.nanoTime();
  private long retryNanos;
  private long retryDelay = FIRST_RETRY_NANOS;

  private volatile BlockFile file;
  private volatile boolean usable = true;
  private volatile @Nullable DiskOutage outage;
  private volatile boolean closing;
  private volatile boolean over;
  private volatile int readFailures;

  private enum Kind {
    REMOVE,
    CLEAR,
    FLUSH
  }

  /** A request to the thread, and its completion; only a removal has a hash. */
  private record Request(Kind kind, long hash, long stamp, CompletableFuture<Void> done) {

    static List<Request> of(Kind kind, List<Request> all) {
      return all.stream().filter(each -> each.kind == kind).toList();
    }
  }

  DiskWriter(
      DiskLog log,
      BlockFile.Opener opener,
      BlockFile file,
      Duration flushAfter,
      OpenRegions regions,
      long nextGeneration,
      AtomicLong lastStamp)
      throws IOException {
    this.log = log;
    this.opener = opener;
    this.file = file;
    this.superblock = log.superblock;
    this.flushNanos = flushAfter.toNanos();
    this.regions = regions;
    this.nextGeneration = nextGeneration;
    this.lastStamp = lastStamp;
    reuse = new RegionReuse(log);
    prepare();
  }

  void start() {
    thread.start();
  }

  boolean isUsable() {
    return usable;
  }

  @Nullable DiskOutage outage() {
    return outage;
  }

  boolean isDirect() {
    return file.isDirect();
  }

  BlockFile file() {
    return file;
  }

  /** Returns a stamp above all others, by the clock in microseconds where that is one. */
  long nextStamp() {
    long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    return lastStamp.updateAndGet(last -> Math.max(last + 1, now));
  }

  long nextTicket() {
    return Location.announced(lastTicket.incrementAndGet());
  }

  /** Adds a value to the region that is being filled. */
  DiskLog.Outcome append(DiskLog.Ticket ticket, RecordHeader header, RegionBuffer.Body body) {
    DiskLog.Outcome outcome =
        usable && !closing ? regions.append(ticket, header, body) : DiskLog.Outcome.SHED;
    wake();
    return outcome;
  }

  CompletableFuture<Void> remove(long hash) {
    return request(Kind.REMOVE, hash);
  }

  CompletableFuture<Void> clear() {
    return request(Kind.CLEAR, 0);
  }

  CompletableFuture<Void> flush() {
    return request(Kind.FLUSH, 0);
  }

  private CompletableFuture<Void> request(Kind kind, long hash) {
    Request request = new Request(kind, hash, nextStamp(), new CompletableFuture<>());
    requests.add(request);
    if (over) {
      request.done.completeExceptionally(new IOException("the disk tier is closed"));
    }
    wake();
    return request.done;
  }

  private void wake() {
    if (wake.availablePermits() == 0) {
      wake.release();
    }
  }

  void readSucceeded() {
    if (readFailures > 0) {
      readFailures = 0;
    }
  }

  /** Puts the disk out of use after several failed reads without one that succeeded. */
  @SuppressWarnings("NonAtomicVolatileUpdate")
  void readFailed(IOException failure) {
    readFailures++;
    if (readFailures >= MOST_READ_FAILURES) {
      wake();
    }
    LOG.debug("disk read failed file={} reason=\"{}\"", log.name, failure.toString());
  }

  private void run() {
    while (!over) {
      boolean last = closing;
      try {
        var _ = wake.tryAcquire(last ? 0 : PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        wake.drainPermits();
        if (readFailures >= MOST_READ_FAILURES && usable) {
          throw new IOException("reads fail");
        }
        if (usable) {
          step(last);
        } else if (!last && System.nanoTime() - retryNanos >= 0) {
          revive();
        } else {
          refuse(new IOException("the disk is out of use"));
        }
      } catch (IOException | RuntimeException failure) {
        failed(failure);
      } catch (InterruptedException unexpected) {
        over = true;
      }
      over |= last;
    }
    refuse(new IOException("the disk tier is closed"));
    usable = false;
    close(file);
  }

  private void step(boolean last) throws IOException {
    List<Request> taken = drain();
    List<Request> removed = Request.of(Kind.REMOVE, taken);
    List<Request> cleared = Request.of(Kind.CLEAR, taken);
    unforced.addAll(removed);
    try {
      if (!cleared.isEmpty()) {
        superblock = superblock.cleared(cleared.getLast().stamp);
        superblock.write(file);
      }
      if (!removed.isEmpty()) {
        addTombstones(removed);
      }
      boolean force = last || taken.size() > cleared.size();
      write(force || System.nanoTime() - writtenNanos > flushNanos);
      if (last) {
        regions.endHead();
        writeFull();
      }
      if (force) {
        file.force();
        unforced.clear();
      }
      if (!last) {
        prepareNext();
      }
    } catch (IOException | RuntimeException failure) {
      clearOnReturn |= !cleared.isEmpty();
      taken.forEach(each -> each.done.completeExceptionally(failure));
      throw failure;
    }
    taken.forEach(each -> each.done.complete(null));
  }

  private List<Request> drain() {
    List<Request> drained = new ArrayList<>();
    Request next;
    while ((next = requests.poll()) != null) {
      drained.add(next);
    }
    return drained;
  }

  /** Adds tombstones, each of them in two blocks: damage to one block must not undo a removal. */
  private void addTombstones(List<Request> removed) throws IOException {
    for (int copy = 0; copy < 2; copy++) {
      for (Request each : removed) {
        RecordHeader tombstone = RecordHeader.tombstone(each.hash, each.stamp, log.format.seals());
        while (!regions.add(tombstone)) {
          writeFull();
          prepareNext();
        }
      }
      regions.pad();
    }
  }

  private void writeFull() throws IOException {
    RegionBuffer full;
    while ((full = regions.firstFull()) != null) {
      write(full, regions.complete(full, true));
      log.counters.writtenBytes.add(full.writeFooter(file, position(full)));
      regions.release(full);
      if (closing || regions.isPrepared()) {
        file.force();
      } else {
        // Before the next one is written: values need not wait for both. Its header is forced.
        prepare();
      }
    }
  }

  /** Writes what is complete, or all: the last block too, and less than is worth it. */
  private void write(boolean all) throws IOException {
    writeFull();
    RegionBuffer head = regions.head();
    if (head != null) {
      int to = regions.complete(head, all);
      if (all || to - head.written() >= LEAST_WRITTEN) {
        write(head, to);
      }
    }
    if (all) {
      writtenNanos = System.nanoTime();
    }
  }

  private void write(RegionBuffer buffer, int to) throws IOException {
    int before = buffer.written();
    buffer.write(file, position(buffer), to);
    log.counters.writtenBytes.add(to - before);
  }

  private long position(RegionBuffer buffer) {
    return DiskFormat.positionOf(
        DiskFormat.regionOf(buffer.generation(), superblock.regions()), superblock.regionBytes());
  }

  private void prepareNext() throws IOException {
    if (!regions.isPrepared()) {
      prepare();
    }
  }

  /** Makes the region after the last one ready, or the oldest one. */
  private void prepare() throws IOException {
    reuse.start(file, nextGeneration, regions::keep);
    regions.prepared(nextGeneration);
    nextGeneration++;
  }

  private void failed(Exception failure) {
    boolean before = usable;
    DiskOutage now = DiskOutage.of(failure);
    if (before) {
      outage = now;
    }
    usable = false;
    log.counters.errors.increment();
    close(file);
    if (before) {
      LOG.error(
          "disk tier out of use file={} reason=\"{}\"; memory serves on, and the disk is tried"
              + " again every {} to {} seconds",
          log.name,
          now.reason(),
          TimeUnit.NANOSECONDS.toSeconds(FIRST_RETRY_NANOS),
          TimeUnit.NANOSECONDS.toSeconds(LAST_RETRY_NANOS));
    }
    retryNanos = System.nanoTime() + retryDelay;
    retryDelay = Math.min(LAST_RETRY_NANOS, 2 * retryDelay);
    refuse(failure);
  }

  /** Fails all requests. Removals are kept, for when the disk is back. */
  private void refuse(Exception reason) {
    List<Request> taken = drain();
    unforced.addAll(Request.of(Kind.REMOVE, taken));
    clearOnReturn |= !Request.of(Kind.CLEAR, taken).isEmpty();
    taken.forEach(each -> each.done.completeExceptionally(reason));
    if (unforced.size() > MOST_REMOVALS) {
      clearOnReturn = true;
      unforced = new ArrayList<>();
    }
  }

  /** Opens the file again, and continues after what was written before the failure. */
  private void revive() throws IOException {
    BlockFile opened = opener.open();
    file = opened;
    Superblock found = Superblock.read(opened, log.name);
    if (found == null || found.fileId() != superblock.fileId()) {
      throw new IOException("'%s' is another file now".formatted(log.name));
    }
    dropUnwritten();
    refuse(new IOException("the disk is out of use"));
    if (clearOnReturn) {
      log.index.clear();
      superblock = superblock.cleared(nextStamp());
      superblock.write(opened);
      clearOnReturn = false;
      unforced = new ArrayList<>();
    }
    prepareNext();
    addTombstones(unforced);
    write(true);
    opened.force();
    unforced = new ArrayList<>();
    readFailures = 0;
    usable = true;
    outage = null;
    LOG.info("disk tier back in use file={} values={}", log.name, log.index.size());
  }

  /** Removes values that were not written, whose records may or may not be on the disk. */
  private void dropUnwritten() {
    regions.endHead();
    RegionBuffer buffer;
    while ((buffer = regions.firstFull()) != null) {
      int written = buffer.written();
      int region = DiskFormat.regionOf(buffer.generation(), superblock.regions());
      for (DiskIndex.Entry entry : log.index.inRegion(region)) {
        long location = entry.location();
        if (Location.offset(location) + Location.bytes(location) > written
            && log.index.replace(entry.hash(), location, Location.NONE)) {
          unforced.add(
              new Request(Kind.REMOVE, entry.hash(), nextStamp(), new CompletableFuture<>()));
        }
      }
      regions.release(buffer);
    }
  }

  private static void close(BlockFile file) {
    try {
      file.close();
    } catch (RuntimeException failed) {
      LOG.debug("file not closed reason=\"{}\"", failed.toString());
    }
  }

  @Override
  public void close() {
    closing = true;
    wake();
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!thread.isAlive()) {
      regions.close();
    }
  }
}
