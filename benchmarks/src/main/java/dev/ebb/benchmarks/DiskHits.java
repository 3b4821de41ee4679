package dev.ebb.benchmarks;

import dev.ebb.benchmarks.LocalClient.Mover;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The latency of {@code GET} of values in memory at a server with a disk tier and at one without,
 * while both store values at the same rate, and {@code fio} saturates the disk of the tier. The
 * servers take turns.
 */
public final class DiskHits {

  private static final int HOT = 50;
  private static final int HOT_BYTES = 64 << 10;
  private static final int COLD_BYTES = 1 << 20;
  private static final int COLD_KEYS = 1_000_000;
  private static final long GET_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long SET_NANOS = TimeUnit.MILLISECONDS.toNanos(15);
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MEASURED_NANOS = TimeUnit.SECONDS.toNanos(6);

  private DiskHits() {}

  /**
   * Takes the port of the server without a disk tier, that of the one with it, a folder on its
   * disk, and the number of rounds.
   */
  public static void main(String[] arguments) throws Exception {
    int[] ports = {Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1])};
    int rounds = Integer.parseInt(arguments[3]);
    Process fio =
        new ProcessBuilder(
                "fio",
                "--name=load",
                "--filename=" + Path.of(arguments[2]).resolve("load"),
                "--rw=randrw",
                "--bs=1m",
                "--size=1g",
                "--ioengine=psync",
                "--direct=1",
                "--thread",
                "--numjobs=4",
                "--time_based",
                "--runtime=3600")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      List<double[]> figures = new ArrayList<>();
      for (int round = 0; round <= rounds; round++) {
        double[] without = phase(ports[0], round);
        double[] with = phase(ports[1], round);
        System.out.printf(
            Locale.ROOT,
            "round %d: without a disk p50 %.2f ms, p99 %.2f ms; with p50 %.2f ms, p99 %.2f ms%n",
            round,
            without[0],
            without[1],
            with[0],
            with[1]);
        if (round > 0) {
          figures.add(new double[] {with[0] / without[0] - 1, with[1] / without[1] - 1});
        }
      }
      for (int i = 0; i < 2; i++) {
        int at = i;
        double[] sorted = figures.stream().mapToDouble(each -> 100 * each[at]).sorted().toArray();
        System.out.printf(
            Locale.ROOT,
            "%s: %+.0f %% with a disk (%+.0f to %+.0f %%)%n",
            i == 0 ? "p50" : "p99",
            sorted[sorted.length / 2],
            sorted[0],
            sorted[sorted.length - 1]);
      }
    } finally {
      fio.destroy();
    }
  }

  /** Returns the median and the 99th percentile in milliseconds. */
  private static double[] phase(int port, int round) throws Exception {
    Thread writer = new Thread(() -> write(port, round));
    try (LocalClient client = client(port)) {
      for (int i = 0; i < HOT; i++) {
        move(client.set(bytes(HOT_BYTES, i)), i);
      }
      Mover hot = client.get(MemorySegment.ofArray(new byte[HOT_BYTES]));
      writer.start();
      long begun = System.nanoTime();
      Random random = new Random(round);
      List<Double> latencies = new ArrayList<>();
      for (long next = begun; next - begun < WARM_UP_NANOS + MEASURED_NANOS; next += GET_NANOS) {
        await(next);
        long sent = System.nanoTime();
        move(hot, random.nextInt(HOT));
        if (next - begun >= WARM_UP_NANOS) {
          latencies.add((System.nanoTime() - sent) / 1e6);
        }
      }
      double[] sorted = latencies.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      return new double[] {sorted[sorted.length / 2], sorted[sorted.length * 99 / 100]};
    } finally {
      writer.interrupt();
      writer.join();
    }
  }

  private static void await(long nanos) {
    while (nanos - System.nanoTime() > 0) {
      LockSupport.parkNanos(nanos - System.nanoTime());
    }
  }

  private static void write(int port, int round) {
    try (LocalClient client = client(port)) {
      Mover cold = client.set(bytes(COLD_BYTES, round));
      long next = System.nanoTime();
      for (int i = COLD_KEYS * (round + 1); !Thread.currentThread().isInterrupted(); i++) {
        move(cold, i);
        next += SET_NANOS;
        LockSupport.parkNanos(next - System.nanoTime());
      }
    } catch (ClosedByInterruptException ended) {
      // the phase is over
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private static LocalClient client(int port) throws IOException {
    return new LocalClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** Moves one value, which must be in memory. */
  private static void move(Mover mover, int key) throws IOException {
    mover.send(key, 1);
    mover.receive(key, 1);
  }

  private static MemorySegment bytes(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return MemorySegment.ofArray(bytes);
  }
}
