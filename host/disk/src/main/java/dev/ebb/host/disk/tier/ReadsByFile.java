package dev.ebb.host.disk.tier;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.DiskOutage;
import dev.ebb.host.disk.format.ReadBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Threads that read, for each file its own: a disk that hangs must not occupy those of others. */
public final class ReadsByFile implements AutoCloseable {

  private final DiskLogs log;
  private final List<DiskReads> files;

  ReadsByFile(DiskLogs log, Duration timeout) {
    this.log = log;
    files =
        IntStream.range(0, log.files())
            .mapToObj(file -> new DiskReads(log.name(file), timeout))
            .toList();
  }

  void start() {
    files.forEach(DiskReads::start);
  }

  /** Returns whether a value is in a file that should be read. */
  public boolean has(long hash) {
    int file = log.file(hash);
    return file >= 0 && files.get(file).areInTime();
  }

  /** Reads a value in its file; see {@link DiskReads#read}. */
  public <T> CompletableFuture<@Nullable T> read(
      long hash, Function<ReadBuffer, @Nullable T> read, Consumer<T> drop) {
    int file = log.file(hash);
    return file < 0 ? CompletableFuture.completedFuture(null) : files.get(file).read(read, drop);
  }

  /** Returns how many files are in use, and answer in time. */
  public int usable() {
    return (int)
        IntStream.range(0, files.size())
            .filter(file -> log.isUsable(file) && files.get(file).areInTime())
            .count();
  }

  /** Returns since when a file is not read, and why; null if all are in time. */
  public @Nullable DiskOutage outage() {
    return files.stream().map(DiskReads::outage).filter(Objects::nonNull).findFirst().orElse(null);
  }

  /** Returns the nanoseconds until a read was done, late ones too. */
  public Histogram latency() {
    return files.stream().map(DiskReads::latency).reduce(new Histogram(), Histogram::plus);
  }

  public long late() {
    return files.stream().mapToLong(each -> each.late.sum()).sum();
  }

  @Override
  public void close() {
    files.forEach(DiskReads::close);
  }
}
