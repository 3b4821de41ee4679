package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import it.unimi.dsi.fastutil.longs.Long2LongLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of a trace to a server as LMCache's Redis connector does, and counts what a
 * client gets. For each request it looks chunks up from the front until one is missing. It reads
 * those that were found, and stores the rest, from the front or in any order. An engine has one
 * request at a time, and each of its workers does this on a connection of its own.
 */
public final class TraceTraffic {

  /** What LMCache stores as metadata: shape and data type. */
  private static final String METADATA_SIZE = "28 B";

  private static final long PROGRESS_MILLIS = 100;

  /** Reads that a connection sends before it waits for the replies. */
  private static final int IN_FLIGHT = 128;

  private final BenchTarget target;
  private final TraceCursor trace;
  private final TraceTrafficOptions options;
  private final Histogram latencies = new Histogram(3);

  /**
   * The chunk before each one, in the order of their first use; itself for the first of a prompt.
   */
  private final Long2LongLinkedOpenHashMap before = new Long2LongLinkedOpenHashMap();

  // Guarded by this.
  private final Outcome total = new Outcome();
  private long taken;
  private long begun;
  private long firstArrival;
  private long requests;
  private @Nullable Exception failure;

  /** Receives the progress. */
  @FunctionalInterface
  public interface Progress {

    /**
     * Called several times a second.
     *
     * @param requests requests that were answered
     * @param fraction the part of the trace that was read, 0 to 1; NaN if its end is not known
     */
    void at(long requests, double fraction);
  }

  private TraceTraffic(BenchTarget target, TraceCursor trace, TraceTrafficOptions options) {
    this.target = target;
    this.trace = trace;
    this.options = options;
  }

  /**
   * Sends a trace to its end.
   *
   * @param target the server
   * @param trace the requests
   * @throws UserError if the server cannot be reached, or stops answering
   */
  public static TraceTrafficResult run(
      BenchTarget target, TraceCursor trace, TraceTrafficOptions options, Progress progress) {
    return new TraceTraffic(target, trace, options).run(progress);
  }

  private TraceTrafficResult run(Progress progress) {
    Values values = new Values(options.sizes(), options.seed());
    Values metadata = new Values(ValueSizes.parse(METADATA_SIZE), options.seed() + 1);
    int ranks = options.ranks();
    List<ChunkClient> clients = new ArrayList<>();
    try {
      Thread connecting =
          start(() -> {
            for (int i = 0; i < options.connections() * ranks; i++) {
              clients.add(new ChunkClient(target, values, metadata, i % ranks, ranks));
            }
          });
      await(List.of(connecting), progress);
      long start = System.nanoTime();
      List<Thread> engines = new ArrayList<>();
      for (int first = 0; first < clients.size(); first += ranks) {
        List<ChunkClient> engine = clients.subList(first, first + ranks);
        engines.add(start(() -> serve(engine)));
      }
      await(engines, progress);
      double seconds = (System.nanoTime() - start) / 1e9;
      return result(seconds, clients.subList(0, ranks));
    } catch (IOException failed) {
      throw lostConnection(failed);
    } finally {
      clients.forEach(ChunkClient::close);
    }
  }

  /** What a thread does until it fails. */
  private interface Work {
    void run() throws IOException;
  }

  private Thread start(Work work) {
    return Thread.ofPlatform()
        .daemon()
        .name("ebb-trace-traffic")
        .start(() -> {
          try {
            work.run();
          } catch (IOException | RuntimeException failed) {
            synchronized (this) {
              failure = failure == null ? failed : failure;
            }
          }
        });
  }

  private void await(List<Thread> threads, Progress progress) {
    try {
      for (Thread thread : threads) {
        while (!thread.join(Duration.ofMillis(PROGRESS_MILLIS))) {
          double fraction;
          synchronized (this) {
            fraction = trace.fraction();
          }
          progress.at(answered(), fraction);
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("the replay was interrupted");
    }
    Exception failed = failure();
    if (failed instanceof IOException lostOne) {
      throw lostConnection(lostOne);
    }
    if (failed instanceof RuntimeException wrongTrace) {
      throw wrongTrace;
    }
  }

  private synchronized long answered() {
    return requests;
  }

  private synchronized @Nullable Exception failure() {
    return failure;
  }

  private UserError lostConnection(IOException failed) {
    return new UserError(
        "the connection to '%s' failed after %d requests: %s"
            .formatted(target, answered(), failed.getMessage()));
  }

  private void serve(List<ChunkClient> engine) throws IOException {
    LongArrayList ids = new LongArrayList();
    for (Turn turn = take(ids); turn != null; turn = take(ids)) {
      LockSupport.parkNanos(turn.due - System.nanoTime());
      serve(engine, ids, turn.number);
    }
  }

  /** A request's number, and when to send it. */
  private record Turn(long number, long due) {}

  /** Copies the next request; returns null at the end. */
  private synchronized @Nullable Turn take(LongArrayList ids) {
    if (failure != null || taken == options.limit() || !trace.next()) {
      return null;
    }
    TraceRequest request = trace.request();
    if (taken == 0) {
      begun = System.nanoTime();
      firstArrival = request.timestampNanos();
    }
    long due = begun + (long) ((request.timestampNanos() - firstArrival) / options.speed());
    ids.clear();
    for (int i = 0; i < request.blocks(); i++) {
      long id = request.id(i);
      before.putIfAbsent(id, i == 0 ? id : request.id(i - 1));
      ids.add(id);
    }
    return new Turn(taken++, due);
  }

  private void serve(List<ChunkClient> engine, LongArrayList ids, long number) throws IOException {
    long start = System.nanoTime();
    Outcome outcome = new Outcome();
    outcome.chunks = ids.size();
    int found = ids.size();
    for (ChunkClient rank : engine) {
      found = Math.min(found, lookUp(rank, ids));
    }
    BitSet unread = new BitSet(found);
    for (int from = 0; from < found; from += IN_FLIGHT) {
      int end = Math.min(found, from + IN_FLIGHT);
      for (ChunkClient rank : engine) {
        read(rank, ids, from, end, unread, outcome);
      }
    }
    int firstUnread = unread.nextSetBit(0);
    outcome.hits = firstUnread < 0 ? found : firstUnread;
    store(engine, ids, number, outcome);
    answered(outcome, System.nanoTime() - start);
  }

  private static int lookUp(ChunkClient client, LongArrayList ids) throws IOException {
    int found = 0;
    while (found < ids.size() && client.exists(ids.getLong(found))) {
      found++;
    }
    return found;
  }

  private static void read(
      ChunkClient client, LongArrayList ids, int from, int end, BitSet unread, Outcome outcome)
      throws IOException {
    for (int i = from; i < end; i++) {
      client.get(ids.getLong(i));
    }
    for (int i = from; i < end; i++) {
      RequestOutcome read = client.readChunk(ids.getLong(i));
      switch (read) {
        case VALUE, DONE -> {}
        case MISSING -> outcome.lost += unread.get(i) ? 0 : 1;
        case WRONG -> outcome.wrong++;
        case ERROR -> outcome.failed(1, client.error());
      }
      unread.set(
          i, unread.get(i) || !(read == RequestOutcome.VALUE || read == RequestOutcome.DONE));
    }
  }

  private void store(List<ChunkClient> engine, LongArrayList ids, long number, Outcome outcome)
      throws IOException {
    long[] rest = Arrays.copyOfRange(ids.elements(), (int) outcome.hits, ids.size());
    if (!options.inOrder()) {
      LongArrays.shuffle(rest, new Random(options.seed() + number));
    }
    for (long id : rest) {
      for (ChunkClient rank : engine) {
        rank.set(id);
      }
    }
    for (ChunkClient rank : engine) {
      for (int i = 0; i < rest.length; i++) {
        if (!rank.stored()) {
          outcome.failed(1, rank.error());
        }
      }
    }
  }

  /** What one request got, or all of them. */
  private static final class Outcome {
    private long chunks;
    private long hits;
    private long lost;
    private long wrong;
    private long errors;
    private @Nullable String firstError;

    private void failed(long times, @Nullable String error) {
      errors += times;
      firstError = firstError == null ? error : firstError;
    }

    private void add(Outcome other) {
      chunks += other.chunks;
      hits += other.hits;
      lost += other.lost;
      wrong += other.wrong;
      failed(other.errors, other.firstError);
    }
  }

  private synchronized void answered(Outcome outcome, long nanos) {
    requests++;
    total.add(outcome);
    latencies.recordValue(nanos);
  }

  /** Asks which chunks the server has, in the order of their first use: predecessors first. */
  private synchronized TraceTrafficResult result(double seconds, List<ChunkClient> engine)
      throws IOException {
    LongOpenHashSet reachable = new LongOpenHashSet();
    long resident = 0;
    long split = 0;
    long[] ids = before.keySet().toLongArray();
    for (int from = 0; from < ids.length; from += IN_FLIGHT) {
      int end = Math.min(ids.length, from + IN_FLIGHT);
      int[] values = new int[end - from];
      for (ChunkClient rank : engine) {
        for (int i = from; i < end; i++) {
          rank.askLength(ids[i]);
        }
        for (int i = from; i < end; i++) {
          values[i - from] += rank.length() > 0 ? 1 : 0;
        }
      }
      for (int i = from; i < end; i++) {
        split += values[i - from] % engine.size() == 0 ? 0 : 1;
        if (values[i - from] == engine.size()) {
          resident++;
          long previous = before.get(ids[i]);
          if (previous == ids[i] || reachable.contains(previous)) {
            reachable.add(ids[i]);
          }
        }
      }
    }
    return new TraceTrafficResult(
        target.toString(),
        requests,
        total.chunks,
        total.hits,
        total.lost,
        total.wrong,
        total.errors,
        total.firstError,
        trace.skippedLines(),
        trace.skippedReasons(),
        seconds,
        before.size(),
        resident,
        split,
        resident - reachable.size(),
        latencies);
  }
}
