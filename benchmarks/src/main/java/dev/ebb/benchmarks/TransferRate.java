package dev.ebb.benchmarks;

import dev.ebb.host.transfer.FetchOptions;
import dev.ebb.host.transfer.TransferClient;
import dev.ebb.host.transfer.TransferOptions;
import dev.ebb.host.transfer.TransferSink;
import dev.ebb.host.transfer.ValueHeader;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * How quickly a node receives values from another process on this machine, beside plain streams of
 * as many bytes over as many connections. The two take turns, so that other load on the machine
 * meets both.
 */
public final class TransferRate {

  private static final int ROUNDS = 15;
  private static final int WARM_UP = 5;
  private static final int[] SIZES = {64 << 10, 1 << 20, 16 << 20};
  private static final int[] CALLERS = {1, 4};

  private final ByteBuffer memory = TransferPeer.memory();
  private final ProcessHandle process;
  private final InetSocketAddress peer;
  private final InetSocketAddress plain;

  private TransferRate(ProcessHandle process, int peerPort, int plainPort) {
    this.process = process;
    peer = new InetSocketAddress(InetAddress.getLoopbackAddress(), peerPort);
    plain = new InetSocketAddress(InetAddress.getLoopbackAddress(), plainPort);
  }

  /** Receives a range of the peer's memory into the same range of this process. */
  private interface Receiver {
    void receive(int from, int bytes) throws Exception;
  }

  /** Prints a line for each size and number of concurrent callers. */
  public static void main(String[] arguments) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                TransferPeer.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = process.inputReader()) {
      String line = output.readLine();
      if (line == null) {
        throw new EOFException("the peer did not start");
      }
      String[] ports = line.split(" ", -1);
      new TransferRate(process.toHandle(), Integer.parseInt(ports[0]), Integer.parseInt(ports[1]))
          .measureAll();
    } finally {
      process.destroy();
    }
  }

  private void measureAll() throws Exception {
    System.out.println(
        "| value | callers | plain GB/s | transfer GB/s | of plain | plain CPU s/GB | transfer CPU"
            + " s/GB |");
    System.out.println("|---|--:|--:|--:|--:|--:|--:|");
    try (TransferClient client = new TransferClient(TransferOptions.of(new byte[0]));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int size : SIZES) {
        for (int callers : CALLERS) {
          List<Receiver> streams = new ArrayList<>();
          List<Receiver> fetches = new ArrayList<>();
          for (int i = 0; i < callers; i++) {
            streams.add(stream());
            fetches.add((from, bytes) -> fetch(client, from, bytes, size));
          }
          double[][] seconds = new double[2][ROUNDS];
          double[] processor = new double[2];
          for (int round = -WARM_UP; round < ROUNDS; round++) {
            double start = processorSeconds();
            double first = seconds(threads, streams);
            double between = processorSeconds();
            double second = seconds(threads, fetches);
            if (round >= 0) {
              seconds[0][round] = first;
              seconds[1][round] = second;
              processor[0] += between - start;
              processor[1] += processorSeconds() - between;
            }
          }
          report(size, callers, seconds, processor);
        }
      }
    }
  }

  /** Returns the processor time of both processes. */
  private double processorSeconds() {
    return Stream.of(process, ProcessHandle.current())
            .mapToLong(each -> each.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
            .sum()
        / 1e9;
  }

  private static double seconds(ExecutorService threads, List<Receiver> receivers)
      throws InterruptedException, ExecutionException {
    int share = TransferPeer.DATA / receivers.size();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < receivers.size(); i++) {
      Receiver receiver = receivers.get(i);
      int from = i * share;
      tasks.add(() -> {
        receiver.receive(from, share);
        return null;
      });
    }
    long start = System.nanoTime();
    for (Future<Void> task : threads.invokeAll(tasks)) {
      task.get();
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private Receiver stream() throws IOException {
    SocketChannel channel = SocketChannel.open(plain);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    ByteBuffer request = ByteBuffer.allocateDirect(2 * Integer.BYTES);
    return (from, bytes) -> {
      channel.write(request.clear().putInt(from).putInt(bytes).flip());
      ByteBuffer target = memory.slice(from, bytes);
      while (target.hasRemaining()) {
        if (channel.read(target) < 0) {
          throw new EOFException("the peer has ended");
        }
      }
    };
  }

  private void fetch(TransferClient client, int from, int bytes, int size) throws Exception {
    for (int at = from; at < from + bytes; at += size) {
      ByteBuffer target = memory.slice(at, size);
      byte[] key = ByteBuffer.allocate(2 * Integer.BYTES).putInt(at).putInt(size).array();
      TransferSink sink =
          new TransferSink() {
            @Override
            public boolean begin(ValueHeader header) {
              return header.length() == size;
            }

            @Override
            public ByteBuffer place(long offset, int most) {
              return target.slice((int) offset, most);
            }
          };
      if (!client.fetch(peer, key, FetchOptions.READ, sink).complete()) {
        throw new IllegalStateException("the value at '" + at + "' was not received");
      }
    }
  }

  private static void report(int size, int callers, double[][] seconds, double[] processor) {
    double[] share = new double[ROUNDS];
    Arrays.setAll(share, round -> seconds[0][round] / seconds[1][round]);
    System.out.printf(
        "| %s | %d | %.2f | %.2f | %.0f %% | %.2f | %.2f |%n",
        size < 1 << 20 ? (size >> 10) + " KiB" : (size >> 20) + " MiB",
        callers,
        TransferPeer.DATA / LocalPaths.median(seconds[0]) / 1e9,
        TransferPeer.DATA / LocalPaths.median(seconds[1]) / 1e9,
        100 * LocalPaths.median(share),
        processor[0] / ROUNDS / TransferPeer.DATA * 1e9,
        processor[1] / ROUNDS / TransferPeer.DATA * 1e9);
  }
}
