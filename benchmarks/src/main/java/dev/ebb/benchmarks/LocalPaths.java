package dev.ebb.benchmarks;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * How quickly one client of a running server on this machine moves values: over TCP, over the Unix
 * domain socket and through shared memory, beside a plain copy of as many bytes. The four take
 * turns, so that other load on the machine meets all of them.
 */
public final class LocalPaths {

  private static final long DATA = 256L << 20;
  private static final int ROUNDS = 15;
  private static final int WARM_UP = 3;
  private static final int[] SIZES = {64 << 10, 256 << 10, 1 << 20, 4 << 20};

  /** Values in a batch. More than one: the next batch is sent before the values are moved. */
  private static final int[] BATCHES = {1, 16, 64};

  /**
   * The largest batch in bytes: three are held at a time, which must be less than half the pool.
   */
  private static final long LARGEST_BATCH = 64L << 20;

  private LocalPaths() {}

  /** Moves every value once; the client's own memory is one buffer of a value's size. */
  private interface Pass {
    void run() throws IOException;
  }

  /**
   * Prints a line for each direction, size and batch.
   *
   * @param arguments the server's port, and the path of its Unix domain socket
   */
  public static void main(String[] arguments) throws IOException {
    SocketAddress tcp =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    SocketAddress unix = UnixDomainSocketAddress.of(arguments[1]);
    System.out.println("| | batch | memcpy GB/s | TCP | Unix socket | shared memory | of memcpy |");
    System.out.println("|---|--:|--:|--:|--:|--:|--:|");
    try (LocalClient first = new LocalClient(tcp);
        LocalClient second = new LocalClient(unix);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = mapped(second, arena);
      MemorySegment region = arena.allocate(DATA, 1 << 21);
      region.fill((byte) 1);
      for (int size : SIZES) {
        MemorySegment buffer = arena.allocate(size, 1 << 12);
        buffer.fill((byte) 7);
        int keys = (int) (DATA / size);
        first.moveAll(first.set(buffer), keys, 1);
        for (int batch : BATCHES) {
          if ((long) batch * size <= LARGEST_BATCH) {
            report(
                "GET",
                size,
                batch,
                measure(
                    () -> copyAll(region, buffer, false),
                    () -> first.moveAll(first.get(buffer), keys, batch),
                    () -> second.moveAll(second.get(buffer), keys, batch),
                    () -> second.moveAll(second.lease(memory, buffer), keys, batch)));
            report(
                "SET",
                size,
                batch,
                measure(
                    () -> copyAll(region, buffer, true),
                    () -> first.moveAll(first.set(buffer), keys, batch),
                    () -> second.moveAll(second.set(buffer), keys, batch),
                    () -> second.moveAll(second.place(memory, buffer), keys, batch)));
          }
        }
        first.flush();
      }
    }
  }

  private static MemorySegment mapped(LocalClient client, Arena arena) throws IOException {
    LocalClient.SharedFile file = client.map();
    try (FileChannel channel =
        FileChannel.open(Path.of(file.path()), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, file.bytes(), arena);
    }
  }

  private static void copyAll(MemorySegment region, MemorySegment buffer, boolean write) {
    long size = buffer.byteSize();
    for (long at = 0; at < DATA; at += size) {
      if (write) {
        MemorySegment.copy(buffer, 0, region, at, size);
      } else {
        MemorySegment.copy(region, at, buffer, 0, size);
      }
    }
  }

  /** Returns the seconds of each round, by path. */
  private static double[][] measure(Pass... passes) throws IOException {
    double[][] seconds = new double[passes.length][ROUNDS];
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      for (int path = 0; path < passes.length; path++) {
        long start = System.nanoTime();
        passes[path].run();
        if (round >= 0) {
          seconds[path][round] = (System.nanoTime() - start) / 1e9;
        }
      }
    }
    return seconds;
  }

  private static void report(String what, int size, int batch, double[][] seconds) {
    double[] share = new double[ROUNDS];
    Arrays.setAll(share, round -> seconds[0][round] / seconds[3][round]);
    System.out.printf(
        "| %s %s | %d | %.2f | %.2f | %.2f | %.2f | %.0f %% |%n",
        what,
        size < 1 << 20 ? (size >> 10) + " KiB" : (size >> 20) + " MiB",
        batch,
        rate(seconds[0]),
        rate(seconds[1]),
        rate(seconds[2]),
        rate(seconds[3]),
        100 * median(share));
  }

  private static double rate(double[] seconds) {
    return DATA / median(seconds) / 1e9;
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
