package dev.ebb.host.loadgen.traffic;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.ChunkClient;
import dev.ebb.host.loadgen.ValueSizes;
import dev.ebb.host.loadgen.Values;
import dev.ebb.host.loadgen.traffic.ServerTraffic.RemoteCounters;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.host.units.TimeSpan;
import it.unimi.dsi.fastutil.longs.Long2LongLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of a trace to servers as engines do, in a {@link TraceTrafficOptions.Shape},
 * and counts what a client gets. A request looks chunks up, reads those that were found, and stores
 * the rest. An engine has one request in flight, or several in {@link
 * TraceTrafficOptions.Shape#LMCACHE_MP}. With several servers, each request goes to one of them.
 */
public final class TraceTraffic {

  /** What LMCache stores as metadata: shape and data type. */
  private static final String METADATA_SIZE = "28 B";

  private static final long PROGRESS_MILLIS = 100;

  /** How long a server may be silent while a request waits for it. */
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private final List<Server> servers;
  private final TraceCursor trace;
  private final TraceTrafficOptions options;
  private final Duration silence;
  private final Histogram latencies = new Histogram(3);

  /**
   * The chunk before each one, in the order of their first use; itself for the first of a prompt.
   */
  private final Long2LongLinkedOpenHashMap before = new Long2LongLinkedOpenHashMap();

  private final List<Engine> engines = new CopyOnWriteArrayList<>();

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
     * @param fraction the part of the trace that was read, 0 to 1; NaN if its end is not known
     */
    void at(long requests, double fraction);
  }

  /** A server, with what it did. */
  private static final class Server {
    private final BenchTarget target;
    private final TrafficOutcome total = new TrafficOutcome();

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

  /** An engine, for one of the requests that it has in flight. */
  private static final class Engine implements AutoCloseable {
    private final ServerChoice choice;

    /** The engine's connections to each server. */
    private final List<EngineLink> links;

    /** The link that waits for replies, and since when; guarded by the engine. */
    private @Nullable EngineLink waiting;

    private long since;

    Engine(ServerChoice choice, List<EngineLink> links) {
      this.choice = choice;
      this.links = links;
    }

    synchronized void waitsFor(@Nullable EngineLink link) {
      waiting = link;
      since = System.nanoTime();
    }

    /** Returns the link that has waited for so long without a reply; null if there is none. */
    synchronized @Nullable EngineLink silent(Duration patience) {
      EngineLink link = waiting;
      return link != null
              && System.nanoTime() - Math.max(since, link.repliedNanos()) > patience.toNanos()
          ? link
          : null;
    }

    @Override
    public void close() {
      choice.close();
      links.forEach(EngineLink::close);
    }
  }

  private TraceTraffic(
      List<BenchTarget> targets, TraceCursor trace, TraceTrafficOptions options, Duration silence) {
    this.silence = silence;
    servers = targets.stream().map(Server::new).toList();
    this.trace = trace;
    this.options = options;
  }

  /**
   * Sends a trace to its end.
   *
   * @throws UserError if a server cannot be reached, or stops answering
   */
  public static TraceTrafficResult run(
      List<BenchTarget> targets,
      TraceCursor trace,
      TraceTrafficOptions options,
      Progress progress) {
    return run(targets, trace, options, progress, SILENCE);
  }

  static TraceTrafficResult run(
      List<BenchTarget> targets,
      TraceCursor trace,
      TraceTrafficOptions options,
      Progress progress,
      Duration silence) {
    return new TraceTraffic(targets, trace, options, silence).run(progress);
  }

  private TraceTrafficResult run(Progress progress) {
    try {
      await(List.of(start(this::connect)), progress);
      long start = System.nanoTime();
      await(engines.stream().map(engine -> start(() -> serve(engine))).toList(), progress);
      double seconds = (System.nanoTime() - start) / 1e9;
      await(List.of(start(this::readRemote)), progress);
      return result(seconds, progress);
    } finally {
      engines.forEach(Engine::close);
    }
  }

  private void connect() throws IOException {
    List<BenchTarget> targets = servers.stream().map(server -> server.target).toList();
    List<Values> values = new ArrayList<>();
    for (int weight : options.tiling().groups().weights()) {
      values.add(new Values(options.sizes().times(weight), options.seed() + values.size()));
    }
    Values metadata = new Values(ValueSizes.parse(METADATA_SIZE), options.seed() + 1);
    for (int i = 0; i < options.connections(); i++) {
      List<EngineLink> links = new ArrayList<>();
      // Added first, so that they are closed if a connection is refused.
      for (int j = 0; j < options.inFlight(); j++) {
        engines.add(
            new Engine(new ServerChoice(options.routing(), targets, options.firstRank()), links));
      }
      for (BenchTarget target : targets) {
        links.add(EngineLink.open(target, values, metadata, options));
      }
    }
    engines.getFirst().choice.check();
    for (Server server : servers) {
      server.before = RemoteCounters.read(server.target);
    }
  }

  private void serve(Engine engine) throws IOException {
    LongArrayList ids = new LongArrayList();
    for (Turn turn = take(ids); turn != null; turn = take(ids)) {
      LockSupport.parkNanos(turn.due - System.nanoTime());
      long start = System.nanoTime();
      int index = engine.choice.choose(ids, turn.number);
      Server server = servers.get(index);
      try {
        EngineLink link = engine.links.get(index);
        engine.waitsFor(link);
        TrafficOutcome outcome = link.serve(ids, turn.number);
        engine.waitsFor(null);
        String notRouted = engine.choice.error();
        outcome.failed(notRouted == null ? 0 : 1, notRouted);
        answered(server, ids, outcome, System.nanoTime() - start);
      } catch (IOException failed) {
        throw lostConnection(server, failed.getMessage());
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

  private synchronized void answered(
      Server server, LongArrayList ids, TrafficOutcome outcome, long nanos) {
    requests++;
    server.requests++;
    server.total.add(outcome);
    server.ids.addAll(ids);
    latencies.recordValue(nanos);
  }

  private void readRemote() throws IOException {
    for (Server server : servers) {
      RemoteCounters before = server.before;
      RemoteCounters now = before == null ? null : RemoteCounters.read(server.target);
      server.remote = before == null || now == null ? null : now.since(before, options.ranks());
    }
  }

  /** Asks which chunks the servers have: each one for those of its requests. */
  private TraceTrafficResult result(double seconds, Progress progress) {
    ResidentChunks chunks = new ResidentChunks(before, this::hasLocally);
    Engine engine = engines.getFirst();
    ObjectGroups groups = options.tiling().groups().groups();
    List<ResidentObjects.Count> counts = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    TrafficOutcome total = new TrafficOutcome();
    for (int i = 0; i < servers.size(); i++) {
      List<ChunkClient> clients = engine.links.get(i).readers();
      Server server = servers.get(i);
      total.add(server.total);
      threads.add(
          start(() -> {
            try {
              long[] ids = server.ids.toLongArray();
              chunks.add(groups.size() > 1 ? ofFullGroups(clients, groups) : clients, ids);
              if (groups.size() > 1) {
                counts.add(new ResidentObjects(groups, before).count(clients, ids));
              }
            } catch (IOException failed) {
              throw lostConnection(server, failed.getMessage());
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
        counts.stream().reduce(ResidentObjects.Count::plus).orElse(null),
        latencies);
  }

  /** A chunk is reachable through the objects of attention before it: no prompt needs more. */
  private static List<ChunkClient> ofFullGroups(List<ChunkClient> clients, ObjectGroups groups) {
    return IntStream.range(0, groups.size()).filter(groups::isFull).mapToObj(clients::get).toList();
  }

  private boolean hasLocally(long id) {
    return engines.stream()
        .flatMap(each -> each.links.stream())
        .anyMatch(each -> each.hasLocally(id));
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
          checkSilence();
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("the replay was interrupted");
    }
    Exception failed = failure();
    if (failed instanceof IOException lostOne) {
      throw lostConnection(servers.getFirst(), lostOne.getMessage());
    }
    if (failed instanceof RuntimeException wrongTrace) {
      throw wrongTrace;
    }
  }

  /** Closes the connections of a server that is silent, which ends the requests that wait. */
  private void checkSilence() {
    for (Engine engine : engines) {
      EngineLink link = engine.silent(silence);
      if (link != null) {
        synchronized (this) {
          if (failure == null) {
            failure =
                lostConnection(
                    servers.get(engine.links.indexOf(link)),
                    "no reply for " + TimeSpan.format(silence.toMillis() / 1e3));
          }
        }
        engine.close();
      }
    }
  }

  private synchronized long answered() {
    return requests;
  }

  private synchronized @Nullable Exception failure() {
    return failure;
  }

  private synchronized UserError lostConnection(Server server, @Nullable String reason) {
    long chunks = servers.stream().mapToLong(each -> each.total.chunks).sum();
    long hits = servers.stream().mapToLong(each -> each.total.hits).sum();
    return new UserError(
        "the connection to '%s' failed after %d requests, with %d hits in %d chunks: %s; check that the server runs, and start again"
            .formatted(server.target, answered(), hits, chunks, reason));
  }
}
