package dev.ebb.host.disk;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.ChannelFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Values by key in one or several files, each of them a {@link DiskLog} with threads of its own, so
 * that a disk that fails costs its own values only. A value is in one file. Thread-safe.
 */
public final class DiskLogs implements AutoCloseable {

  public static final int MOST_FILES = FileSet.MOST_FILES;

  private static final String PATH = "ebb.tiers.disk.path: ";

  private static final int LOCKS = 64;

  /** In the order of their numbers. */
  private final List<DiskLog> logs;

  private final DiskCounters counters;
  private final ChainPlacement placement;
  private final Object[] announcing = new Object[LOCKS];

  private DiskLogs(List<DiskLog> logs, DiskCounters counters) {
    this.logs = logs;
    this.counters = counters;
    placement = new ChainPlacement(logs.size());
    Arrays.setAll(announcing, i -> new Object());
  }

  /** Opens or creates files in any order, and locks them; fails if they are not of one set. */
  public static DiskLogs open(List<Path> paths, DiskOptions options) {
    return of(named(paths), options);
  }

  /** Fails if {@link #open} would, unless a server uses the files; changes nothing. */
  public static void check(List<Path> paths, DiskOptions options) {
    try {
      Set<Path> files = new HashSet<>();
      for (Path path : paths) {
        if (!files.add(ChannelFile.check(path, options.fileBytes()))) {
          throw new UserError("'%s' is named twice; name each file once".formatted(path));
        }
      }
      FileSet.check(paths.stream().filter(Files::exists).map(DiskLogs::readable).toList(), options);
    } catch (IOException | UserError refused) {
      throw new UserError(PATH + refused.getMessage());
    }
  }

  private static FileSet.Named readable(Path path) {
    BlockFile.Opener opener = () -> ChannelFile.reading(path);
    return new FileSet.Named(path.toString(), opener, opener);
  }

  /** Makes files a set of their own after others of their set were lost. */
  public static void regroup(List<Path> paths) {
    FileSet.regroup(named(paths).stream().map(FileSet.Named::existing).toList());
  }

  private static List<FileSet.Named> named(List<Path> paths) {
    return paths.stream()
        .map(path ->
            new FileSet.Named(
                path.toString(), () -> ChannelFile.open(path), () -> ChannelFile.reopen(path)))
        .toList();
  }

  static DiskLogs of(List<FileSet.Named> files, DiskOptions options) {
    FileSet set = null;
    boolean opened = false;
    try {
      set = FileSet.open(files, options);
      DiskCounters counters = new DiskCounters();
      DiskLogs logs = new DiskLogs(logs(set, options, counters), counters);
      logs.dropOlderCopies();
      logs.logs.forEach(DiskLog::start);
      opened = true;
      return logs;
    } catch (UserError refused) {
      throw new UserError(PATH + refused.getMessage());
    } finally {
      if (set != null && !opened) {
        set.close();
      }
    }
  }

  private static List<DiskLog> logs(FileSet set, DiskOptions options, DiskCounters counters) {
    List<FileSet.Member> members = new ArrayList<>(set.members);
    members.sort(Comparator.comparingInt(member -> member.superblock().member().number()));
    AtomicLong clock = new AtomicLong();
    List<DiskLog> logs = new ArrayList<>();
    for (FileSet.Member member : members) {
      FileSet.Named named = member.named;
      try {
        logs.add(
            new DiskLog(
                named.reopener(),
                member.file,
                named.name(),
                member.superblock(),
                options,
                clock,
                counters));
      } catch (IOException failed) {
        throw new UserError(
            "'%s' cannot be used: %s; check the disk and the rights, or set another path"
                .formatted(named.name(), Reasons.of(failed)));
      }
    }
    return logs;
  }

  /** A file that was out of use when a value was replaced may have it still. */
  private void dropOlderCopies() {
    try (ReadBuffer buffer = new ReadBuffer()) {
      for (int i = 1; i < logs.size(); i++) {
        DiskLog log = logs.get(i);
        for (DiskLog other : logs.subList(0, i)) {
          List<Long> both = new ArrayList<>();
          log.index.each((hash, location) -> {
            if (other.knows(hash)) {
              both.add(hash);
            }
          });
          for (long hash : both) {
            DiskLog older = other.stamp(hash, buffer) < log.stamp(hash, buffer) ? other : log;
            var _ = older.remove(hash);
          }
        }
      }
    }
  }

  /** Returns the hash of a key, by which all methods identify it. */
  public static long hash(byte[] key) {
    return DiskFormat.hash(key);
  }

  /** Reports the changes from now on, and not the values that exist. */
  public void listener(DiskListener listener) {
    logs.forEach(log -> log.index.listener(listener));
  }

  public int files() {
    return logs.size();
  }

  /** Returns how many files are in use; a file is not after a failure. */
  public int usableFiles() {
    return (int) logs.stream().filter(DiskLog::isUsable).count();
  }

  public boolean isUsable() {
    return usableFiles() > 0;
  }

  /** Returns how many files are in use, and answer in time. */
  public int filesInTime() {
    return (int) logs.stream().filter(log -> log.isUsable() && log.reads.areInTime()).count();
  }

  /** Returns since when a file is not written or not read, and why; null if all are in use. */
  public @Nullable DiskOutage outage() {
    for (DiskLog log : logs) {
      DiskOutage outage = log.writer.outage();
      if (outage != null) {
        return logs.size() == 1
            ? outage
            : new DiskOutage(outage.since(), log.name + ": " + outage.reason());
      }
    }
    return logs.stream()
        .map(log -> log.reads.outage())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Returns the file that has a value, as far as hashes tell; null if none has it. */
  private @Nullable DiskLog of(long hash) {
    for (DiskLog log : logs) {
      if (log.contains(hash)) {
        return log;
      }
    }
    return null;
  }

  /** Returns whether a file in use has a value, as far as hashes tell. */
  public boolean contains(long hash) {
    return of(hash) != null;
  }

  /** Returns whether a value is in a file that should be read. */
  public boolean has(long hash) {
    DiskLog log = of(hash);
    return log != null && log.reads.areInTime();
  }

  public boolean mayHaveExpired(long hash) {
    DiskLog log = of(hash);
    return log != null && log.mayHaveExpired(hash);
  }

  public boolean isCurrent(long hash, DiskValue value) {
    return logs.get(value.file()).isCurrent(hash, value);
  }

  /** Returns whether a file has a value or an announced one, also while it is out of use. */
  boolean knows(long hash) {
    return logs.stream().anyMatch(log -> log.knows(hash));
  }

  /** Announces a value without a chain; see {@link #announce(long, long)}. */
  public DiskLog.@Nullable Ticket announce(long hash) {
    return announce(hash, 0);
  }

  /**
   * Announces a value.
   *
   * @param affinity the hash of the key of the chunk before it, or of the first of its chain:
   *     values of a chain are of no use without each other, and should be in one file; 0 if there
   *     is none
   * @return null if a file has the value already, or no file is in use
   */
  public DiskLog.@Nullable Ticket announce(long hash, long affinity) {
    // Two threads must not announce a value for two files.
    synchronized (announcing[(int) (hash >>> 32) & LOCKS - 1]) {
      if (knows(hash)) {
        return null;
      }
      int first = placement.of(hash, affinity, logs);
      for (int i = 0; i < logs.size(); i++) {
        DiskLog.Ticket ticket = logs.get((first + i) % logs.size()).announce(hash);
        if (ticket != null) {
          placement.placed(hash, affinity, ticket.file());
          return ticket;
        }
      }
      return null;
    }
  }

  /** Removes the value of a hash from all files; see {@link DiskLog#remove}. */
  public @Nullable CompletableFuture<Void> remove(long hash) {
    List<CompletableFuture<Void>> removals =
        logs.stream().map(log -> log.remove(hash)).filter(Objects::nonNull).toList();
    return removals.isEmpty() ? null : all(removals);
  }

  public CompletableFuture<Void> clear() {
    return all(logs.stream().map(DiskLog::clear).toList());
  }

  /** Completes when all values that were added before survive a crash. */
  public CompletableFuture<Void> flush() {
    return all(logs.stream().map(log -> log.writer.flush()).toList());
  }

  private static CompletableFuture<Void> all(List<CompletableFuture<Void>> each) {
    return each.size() == 1
        ? each.getFirst()
        : CompletableFuture.allOf(each.toArray(CompletableFuture[]::new));
  }

  /** Reads a value; see {@link DiskLog#read}. */
  public @Nullable DiskValue read(byte[] key, ReadBuffer buffer) {
    DiskLog log = of(hash(key));
    return log == null ? null : log.read(key, buffer);
  }

  /** Reads a value with a thread of its file; see {@link DiskReads#read}. */
  public <T> CompletableFuture<@Nullable T> read(
      long hash, Function<ReadBuffer, @Nullable T> read, Consumer<T> drop) {
    DiskLog log = of(hash);
    return log == null ? CompletableFuture.completedFuture(null) : log.reads.read(read, drop);
  }

  /** Returns the properties of a value without its bytes; see {@link DiskLog#describe}. */
  public DiskLog.@Nullable Description describe(byte[] key, ReadBuffer buffer) {
    DiskLog log = of(hash(key));
    return log == null ? null : log.describe(key, buffer);
  }

  /** Returns the nanoseconds until a read was done, late ones too. */
  public Histogram latency() {
    return logs.stream().map(log -> log.reads.latency()).reduce(new Histogram(), Histogram::plus);
  }

  public DiskStats stats() {
    return new DiskStats(
        isUsable(),
        logs.stream().allMatch(log -> log.writer.isDirect()),
        sum(log -> (long) log.superblock.regions() * log.superblock.regionBytes()),
        sum(log -> log.index.size()),
        sum(log -> log.index.liveBytes()),
        sum(log -> log.index.bytes()),
        counters.writtenValues.sum(),
        counters.writtenValueBytes.sum(),
        counters.writtenBytes.sum(),
        counters.shedValues.sum(),
        counters.reusedRegions.sum(),
        counters.keptValues.sum(),
        counters.droppedValues.sum(),
        counters.readValues.sum(),
        counters.readBytes.sum(),
        counters.lateReads.sum(),
        counters.damagedRecords.sum(),
        counters.errors.sum());
  }

  private long sum(ToLongFunction<DiskLog> figure) {
    return logs.stream().mapToLong(figure).sum();
  }

  /** Writes all that was added, and closes the files. */
  @Override
  public void close() {
    logs.forEach(DiskLog::close);
  }

  /**
   * Chooses the files of values, so that a chain is in one file. The last chunks of a chain are
   * evicted first, so that a value often comes before the one that its affinity names: then the
   * file is remembered for that one.
   */
  private static final class ChainPlacement {

    /** A power of two: 512 KiB. Later hashes replace earlier ones of the same slot. */
    private static final int SLOTS = 1 << 16;

    /** A slot has a hash, and the file instead of its last byte. */
    private static final long FILE = 0xFF;

    private final int files;
    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

    ChainPlacement(int files) {
      this.files = files;
    }

    /** Returns the number of the file that a value should be in. */
    int of(long hash, long affinity, List<DiskLog> logs) {
      if (files == 1) {
        return 0;
      }
      int own = remembered(hash);
      if (own >= 0 || affinity == 0) {
        return own >= 0 ? own : any(hash);
      }
      for (int i = 0; i < files; i++) {
        if (logs.get(i).knows(affinity)) {
          return i;
        }
      }
      int other = remembered(affinity);
      return other >= 0 ? other : any(affinity);
    }

    /** Remembers where a value was placed, for the others of its chain. */
    void placed(long hash, long affinity, int file) {
      if (files > 1) {
        remember(hash, file);
        remember(affinity, file);
      }
    }

    private int any(long hash) {
      return (int) Math.unsignedMultiplyHigh(hash * 0x9E3779B97F4A7C15L, files);
    }

    private int remembered(long hash) {
      long slot = slots.get(slot(hash));
      int file = (int) (slot & FILE);
      return hash != 0 && ((slot ^ hash) & ~FILE) == 0 && file < files ? file : -1;
    }

    private void remember(long hash, int file) {
      if (hash != 0) {
        slots.set(slot(hash), (hash & ~FILE) | file);
      }
    }

    private static int slot(long hash) {
      return (int) (hash >>> 8) & SLOTS - 1;
    }
  }
}
