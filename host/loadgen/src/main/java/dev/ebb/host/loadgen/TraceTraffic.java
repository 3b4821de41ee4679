package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import it.unimi.dsi.fastutil.longs.Long2LongLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;
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
 * Sends the requests of a trace to servers as LMCache's Redis connector does, and counts what a
 * client gets. For each request it looks chunks up from the front until one is missing. It reads
 * those that were found, and stores the rest, from the front or in any order. An engine has one
 * request at a time, and each of its workers does this on connections of its own. With several
 * servers, each request goes to one of them.
 */
public final class TraceTraffic {

  /** What LMCache stores as metadata: shape and data type. */
  private static final String METADATA_SIZE = "28 B";

  private static final long PROGRESS_MILLIS = 100;

  /** Reads that a connection sends before it waits for the replies. */
  private static final int IN_FLIGHT = 128;

  private final List<Server> servers;
  private final TraceCursor trace;
  private final TraceTrafficOptions options;
  private final Histogram latencies = new Histogram(3);

  /**
   * The chunk before each one, in the order of their first use; itself for the first of a prompt.
   */
  private final Long2LongLinkedOpenHashMap before = new Long2LongLinkedOpenHashMap();

  // Guarded by this.
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

  /** A server, with what it did. */
  private static final class Server {
    private final BenchTarget target;
    private final Outcome total = new Outcome();

    /** The chunks of its requests, in the order of their first use. */
    private final LongLinkedOpenHashSet ids = new LongLinkedOpenHashSet();

    private long requests;
    private @Nullable RemoteCounters before;
    private ServerTraffic.@Nullable Remote remote;

    Server(BenchTarget target) {
      this.target = target;
    }

    ServerTraffic traffic() {
      return new ServerTraffic(target.toString(), requests, total.chunks, total.hits, remote);
    }
  }

  /**
   * One with a request at a time.
   *
   * @param clients the connections of its ranks to each server
   */
  private record Engine(ServerChoice choice, List<List<ChunkClient>> clients)
      implements AutoCloseable {

    @Override
    public void close() {
      choice.close();
      clients.forEach(ranks -> ranks.forEach(ChunkClient::close));
    }
  }

  private TraceTraffic(List<BenchTarget> targets, TraceCursor trace, TraceTrafficOptions options) {
    servers = targets.stream().map(Server::new).toList();
    this.trace = trace;
    this.options = options;
  }

  /**
   * Sends a trace to its end.
   *
   * @param targets the servers
   * @param trace the requests
   * @throws UserError if a server cannot be reached, or stops answering
   */
  public static TraceTrafficResult run(
      List<BenchTarget> targets,
      TraceCursor trace,
      TraceTrafficOptions options,
      Progress progress) {
    return new TraceTraffic(targets, trace, options).run(progress);
  }

  private TraceTrafficResult run(Progress progress) {
    Values values = new Values(options.sizes(), options.seed());
    Values metadata = new Values(ValueSizes.parse(METADATA_SIZE), options.seed() + 1);
    List<Engine> engines = new ArrayList<>();
    try {
      await(List.of(start(() -> connect(engines, values, metadata))), progress);
      long start = System.nanoTime();
      await(engines.stream().map(engine -> start(() -> serve(engine))).toList(), progress);
      double seconds = (System.nanoTime() - start) / 1e9;
      await(List.of(start(this::readRemote)), progress);
      return result(seconds, engines.getFirst(), progress);
    } finally {
      engines.forEach(Engine::close);
    }
  }

  private void connect(List<Engine> engines, Values values, Values metadata) throws IOException {
    List<BenchTarget> targets = servers.stream().map(server -> server.target).toList();
    int ranks = options.ranks();
    for (int i = 0; i < options.connections(); i++) {
      List<List<ChunkClient>> clients = new ArrayList<>();
      // Added first, so that it is closed if a connection is refused.
      engines.add(new Engine(new ServerChoice(options.routing(), targets, ranks), clients));
      for (BenchTarget target : targets) {
        List<ChunkClient> ofServer = new ArrayList<>();
        clients.add(ofServer);
        for (int rank = 0; rank < ranks; rank++) {
          ofServer.add(new ChunkClient(target, values, metadata, rank, ranks));
        }
      }
    }
    engines.getFirst().choice.check();
    for (Server server : servers) {
      server.before = RemoteCounters.read(server.target);
    }
  }

  private void readRemote() throws IOException {
    for (Server server : servers) {
      RemoteCounters before = server.before;
      RemoteCounters now = before == null ? null : RemoteCounters.read(server.target);
      server.remote = before == null || now == null ? null : now.since(before, options.ranks());
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
      throw lostConnection(servers.getFirst(), lostOne);
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

  private UserError lostConnection(Server server, IOException failed) {
    return new UserError(
        "the connection to '%s' failed after %d requests: %s"
            .formatted(server.target, answered(), failed.getMessage()));
  }

  private void serve(Engine engine) throws IOException {
    LongArrayList ids = new LongArrayList();
    for (Turn turn = take(ids); turn != null; turn = take(ids)) {
      LockSupport.parkNanos(turn.due - System.nanoTime());
      long start = System.nanoTime();
      int index = engine.choice.choose(ids, turn.number);
      Server server = servers.get(index);
      try {
        Outcome outcome = serve(engine.clients.get(index), ids, turn.number);
        String notRouted = engine.choice.error();
        outcome.failed(notRouted == null ? 0 : 1, notRouted);
        answered(server, ids, outcome, System.nanoTime() - start);
      } catch (IOException failed) {
        throw lostConnection(server, failed);
      }
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

  private Outcome serve(List<ChunkClient> engine, LongArrayList ids, long number)
      throws IOException {
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
    return outcome;
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
        case WRONG, FOREIGN -> outcome.wrong++;
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

  private synchronized void answered(
      Server server, LongArrayList ids, Outcome outcome, long nanos) {
    requests++;
    server.requests++;
    server.total.add(outcome);
    server.ids.addAll(ids);
    latencies.recordValue(nanos);
  }

  /** Asks which chunks the servers have: each one for those of its requests. */
  private TraceTrafficResult result(double seconds, Engine engine, Progress progress) {
    ResidentChunks chunks = new ResidentChunks(before);
    List<Thread> threads = new ArrayList<>();
    Outcome total = new Outcome();
    for (int i = 0; i < servers.size(); i++) {
      List<ChunkClient> clients = engine.clients.get(i);
      Server server = servers.get(i);
      total.add(server.total);
      threads.add(
          start(() -> {
            try {
              chunks.add(clients, server.ids.toLongArray());
            } catch (IOException failed) {
              throw lostConnection(server, failed);
            }
          }));
    }
    await(threads, progress);
    return new TraceTrafficResult(
        servers.stream().map(Server::traffic).toList(),
        options.routing(),
        answered(),
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
        chunks.resident(),
        chunks.split(),
        chunks.unreachable(),
        latencies);
  }
}
