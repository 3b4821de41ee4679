package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.Bench.Progress.Phase;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One run of a load against a server, on the calling thread. */
public final class Bench {

  private static final int READ_BYTES = 256 << 10;
  private static final long WAIT_MILLIS = 50;

  private final BenchTarget target;
  private final BenchLoad load;
  private final Progress progress;
  private final Requests requests;
  private final Values values;
  private final Counters counters = new Counters();

  /** The keys that this run has written, if values are compared. */
  private final LongOpenHashSet written = new LongOpenHashSet();

  private final List<BenchConnection> connections = new ArrayList<>();
  private final ByteBuffer received = ByteBuffer.allocateDirect(READ_BYTES);
  private Phase phase = Phase.FILLING;
  private long phaseNanos;
  private long answers;

  private Bench(
      BenchTarget target, BenchLoad load, ValueSizes sizes, KeySequence keys, Progress progress) {
    this.target = target;
    this.load = load;
    this.progress = progress;
    requests = new Requests(load, keys);
    values = new Values(sizes, load.seed());
  }

  /**
   * Runs the load to its end.
   *
   * @throws UserError if the server cannot be reached, or stops answering
   */
  public static BenchResult run(
      BenchTarget target, BenchLoad load, ValueSizes sizes, KeySequence keys, Progress progress) {
    return new Bench(target, load, sizes, keys, progress).run();
  }

  private BenchResult run() {
    CpuTime server = CpuTime.of(target.processId());
    CpuTime client = CpuTime.ofThisProcess();
    List<ByteChannel> opened = new ArrayList<>();
    try (Selector selector = Selector.open()) {
      for (int i = 0; i < load.connections(); i++) {
        ByteChannel channel = Greeting.open(target);
        opened.add(channel);
        TlsChannel encrypted = channel instanceof TlsChannel tls ? tls : null;
        SocketChannel socket = encrypted == null ? (SocketChannel) channel : encrypted.socket();
        SelectionKey readiness = socket.register(selector, SelectionKey.OP_READ);
        BenchConnection connection =
            new BenchConnection(
                socket, encrypted, readiness, load, values, requests, counters, written);
        readiness.attach(connection);
        connections.add(connection);
      }
      if (load.fillKeys() > 0) {
        begin(Phase.FILLING);
        askAll();
        while (requests.filling() || connections.stream().anyMatch(each -> !each.idle())) {
          turn(selector);
        }
      }
      begin(Phase.WARMING_UP);
      askAll();
      while (elapsed() < load.warmUp().toNanos()) {
        turn(selector);
      }
      begin(Phase.MEASURING);
      if (server != null) {
        server.restart();
      }
      client.restart();
      while (elapsed() < load.duration().toNanos() && counters.requests < load.requests()) {
        turn(selector);
      }
      return result(elapsed() / 1e9, server, client);
    } catch (IOException | UncheckedIOException failed) {
      throw new UserError(
          "the connection to '%s' failed after %d answers: %s"
              .formatted(target, answers + counters.requests, reason(failed)));
    } finally {
      opened.forEach(Greeting::closeQuietly);
    }
  }

  /** Returns the system's reason, without the name of an exception. */
  private static String reason(Exception failed) {
    Throwable cause = failed instanceof UncheckedIOException ? failed.getCause() : failed;
    return String.valueOf((cause == null ? failed : cause).getMessage());
  }

  private void begin(Phase next) {
    answers += counters.requests;
    counters.clear();
    phase = next;
    phaseNanos = System.nanoTime();
  }

  private long elapsed() {
    return System.nanoTime() - phaseNanos;
  }

  private void askAll() throws IOException {
    for (BenchConnection connection : connections) {
      connection.ask(phase == Phase.FILLING);
    }
  }

  private void turn(Selector selector) throws IOException {
    selector.select(this::ready, WAIT_MILLIS);
    progress.at(phase, elapsed() / 1e9, counters.requests, counters.bytes);
  }

  private void ready(SelectionKey readiness) {
    BenchConnection connection = (BenchConnection) readiness.attachment();
    try {
      if (readiness.isReadable()) {
        connection.read(received);
      }
      connection.ask(phase == Phase.FILLING);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private BenchResult result(double seconds, @Nullable CpuTime server, CpuTime client) {
    return new BenchResult(
        target.toString(),
        seconds,
        counters.requests,
        counters.gets,
        counters.hits,
        counters.sets,
        counters.bytes,
        counters.errors,
        counters.firstError,
        counters.compared,
        counters.foreign,
        counters.wrong,
        counters.firstWrong,
        counters.latencies,
        server == null ? Double.NaN : server.seconds(),
        client.seconds());
  }

  /** Receives the progress of a run. */
  @FunctionalInterface
  public interface Progress {

    /** The phase of a run. */
    enum Phase {
      /** SETs every key once. */
      FILLING,
      /** The load runs, but is not counted. */
      WARMING_UP,
      /** The load is measured. */
      MEASURING
    }

    /**
     * Called several times a second.
     *
     * @param seconds since the phase began
     * @param requests answered in the phase
     * @param bytes of values read and written in the phase
     */
    void at(Phase phase, double seconds, long requests, long bytes);
  }

  /** The CPU time of a process since the start of the measurement. */
  private static final class CpuTime {

    private final ProcessHandle process;
    private Duration since;

    private CpuTime(ProcessHandle process) {
      this.process = process;
      since = used();
    }

    static CpuTime ofThisProcess() {
      return new CpuTime(ProcessHandle.current());
    }

    /**
     * Returns that of another process.
     *
     * @param id its number; 0 for none
     * @throws UserError if there is no such process
     */
    static @Nullable CpuTime of(long id) {
      return id == 0
          ? null
          : new CpuTime(
              ProcessHandle.of(id)
                  .filter(process -> process.info().totalCpuDuration().isPresent())
                  .orElseThrow(() ->
                      new UserError(
                          "--server-pid '%d': there is no such process, or its CPU time cannot be read; check the number"
                              .formatted(id))));
    }

    void restart() {
      since = used();
    }

    double seconds() {
      return used().minus(since).toNanos() / 1e9;
    }

    private Duration used() {
      return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }
  }

  /** The next requests: first every key once, if wanted, then at random. */
  static final class Requests {

    private final BenchLoad load;
    private final KeySequence keys;
    private final SplittableRandom random;
    private int filled;
    private boolean get;

    Requests(BenchLoad load, KeySequence keys) {
      this.load = load;
      this.keys = keys;
      random = new SplittableRandom(load.seed());
    }

    boolean filling() {
      return filled < load.fillKeys();
    }

    long next() {
      if (filling()) {
        get = false;
        return filled++;
      }
      double share = load.getShare();
      get = share == 1 || (share > 0 && random.nextDouble() < share);
      return keys.next();
    }

    /** Returns whether the last result of {@link #next} is a GET; otherwise it is a SET. */
    boolean get() {
      return get;
    }
  }

  /** The counters of answers since they were last cleared, and of all errors. */
  static final class Counters {

    private static final long LONGEST = TimeUnit.MINUTES.toNanos(10);
    private static final int DIGITS = 3;

    final Histogram latencies = new Histogram(1_000, LONGEST, DIGITS);
    long requests;
    long gets;
    long hits;
    long sets;
    long bytes;
    long errors;
    long compared;
    long wrong;
    long foreign;
    @Nullable String firstError;
    @Nullable String firstWrong;

    /** Clears the counters, but not the errors and comparisons. */
    void clear() {
      latencies.reset();
      requests = 0;
      gets = 0;
      hits = 0;
      sets = 0;
      bytes = 0;
    }

    void error(String text) {
      errors++;
      if (firstError == null) {
        firstError = text;
      }
    }

    void wrong(long id) {
      wrong++;
      if (firstWrong == null) {
        firstWrong = "bench:%016x".formatted(id);
      }
    }

    void latency(long nanos) {
      latencies.recordValue(Math.min(nanos, LONGEST));
    }
  }
}
