package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.loadgen.BenchProgress.Phase;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run of a load against a server, on the calling thread. */
public final class Bench {

  private static final int READ_BYTES = 256 << 10;
  private static final long WAIT_MILLIS = 50;

  private final BenchTarget target;
  private final BenchLoad load;
  private final BenchProgress progress;
  private final RespRequests requests;
  private final Values values;
  private final LoadCounters counters = new LoadCounters();

  /** The keys that this run has written, if values are compared. */
  private final LongOpenHashSet written = new LongOpenHashSet();

  private final List<BenchConnection> connections = new ArrayList<>();
  private final ByteBuffer received = ByteBuffer.allocateDirect(READ_BYTES);
  private Phase phase = Phase.FILLING;
  private long phaseNanos;
  private long answers;

  private Bench(
      BenchTarget target,
      BenchLoad load,
      ValueSizes sizes,
      KeySequence keys,
      BenchProgress progress) {
    this.target = target;
    this.load = load;
    this.progress = progress;
    requests = new RespRequests(load, keys);
    values = new Values(sizes, load.seed());
  }

  /**
   * Runs the load to its end.
   *
   * @throws UserError if the server cannot be reached, or stops answering
   */
  public static BenchResult run(
      BenchTarget target,
      BenchLoad load,
      ValueSizes sizes,
      KeySequence keys,
      BenchProgress progress) {
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
}
