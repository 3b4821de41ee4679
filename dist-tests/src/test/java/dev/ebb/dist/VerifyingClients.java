package dev.ebb.dist;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Clients that write and read at a moderate rate, verify each value, and measure each command. Each
 * has keys of its own, so that a read must return the version that it wrote last, or nothing.
 */
final class VerifyingClients implements AutoCloseable {

  private static final int KEYS = 500;
  private static final int LARGEST = 40_000;

  /** Of as many commands, one belongs to a request that its client states. */
  private static final int REQUESTS = 30;

  private static final int TIMEOUT_MILLIS = 60_000;

  private final Supplier<InetSocketAddress> server;
  private final long pauseMillis;
  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();
  private final Latencies[] latencies;
  private volatile boolean stopped;
  private volatile boolean mayFail;

  VerifyingClients(Supplier<InetSocketAddress> server, int count) {
    this(server, count, 1);
  }

  /** Starts clients that wait between two commands. */
  VerifyingClients(Supplier<InetSocketAddress> server, int count, long pauseMillis) {
    this.server = server;
    this.pauseMillis = pauseMillis;
    latencies = new Latencies[count];
    for (int i = 0; i < count; i++) {
      int number = i;
      latencies[i] = new Latencies();
      threads.add(Thread.ofPlatform().name("client-" + i).start(() -> run(number)));
    }
  }

  /** The latencies of a time window in nanoseconds. */
  record Window(long commands, long found, long p99Nanos, long longestNanos) {}

  private static final class Latencies {
    private long[] nanos = new long[1 << 12];
    private int count;
    private long found;

    synchronized void add(long taken, boolean value) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, count * 2);
      }
      nanos[count++] = taken;
      found += value ? 1 : 0;
    }

    synchronized long[] take() {
      long[] taken = Arrays.copyOf(nanos, count);
      count = 0;
      return taken;
    }

    synchronized long takeFound() {
      long taken = found;
      found = 0;
      return taken;
    }
  }

  /** Returns what was measured since the last call. */
  Window window() {
    long found = 0;
    List<long[]> parts = new ArrayList<>();
    for (Latencies each : latencies) {
      found += each.takeFound();
      parts.add(each.take());
    }
    long[] all = parts.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    return all.length == 0
        ? new Window(0, 0, 0, 0)
        : new Window(all.length, found, all[(int) (all.length * 0.99)], all[all.length - 1]);
  }

  /** Returns wrong values, errors and lost connections, oldest first. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Sets whether connections may end, because the server does. Values must be right anyhow. */
  void mayFail(boolean value) {
    mayFail = value;
  }

  private void run(int number) {
    Random random = new Random(number);
    long[] versions = new long[KEYS];
    while (!stopped) {
      try (RespClient client = new RespClient(server.get(), "", TIMEOUT_MILLIS)) {
        Arrays.fill(versions, 0);
        while (!stopped) {
          step(client, number, random, versions);
        }
      } catch (IOException lost) {
        if (!mayFail && !stopped) {
          problems.add("client " + number + ": " + lost);
        }
      } catch (RespClient.ServerError | CheckedValue.WrongValue wrong) {
        problems.add("client " + number + ": " + wrong);
      }
      sleep();
    }
  }

  private void step(RespClient client, int number, Random random, long[] versions)
      throws IOException {
    int index = random.nextInt(KEYS);
    String key = "client%d:%d".formatted(number, index);
    if (random.nextInt(REQUESTS) == 0) {
      client.call("EBB.REQUEST", "BEGIN", "r", "KEYS", key, "client%d:a".formatted(number));
      client.call("EBB.REQUEST", "END", "r");
    }
    long start = System.nanoTime();
    if (versions[index] == 0 || random.nextInt(3) == 0) {
      versions[index]++;
      Object reply =
          client.call("SET", key, CheckedValue.of(key, versions[index], random.nextInt(LARGEST)));
      if (!"OK".equals(reply)) {
        problems.add("client " + number + ": SET was answered with '" + reply + "'");
      }
      latencies[number].add(System.nanoTime() - start, false);
    } else {
      byte[] value = client.bytes("GET", key);
      latencies[number].add(System.nanoTime() - start, value != null);
      if (value != null && CheckedValue.version(key, value) != versions[index]) {
        problems.add("client " + number + ": '" + key + "' has an old value");
      }
    }
    sleep();
  }

  private void sleep() {
    try {
      TimeUnit.MILLISECONDS.sleep(pauseMillis);
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  @Override
  public void close() {
    stopped = true;
    for (Thread thread : threads) {
      try {
        thread.join(TIMEOUT_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }
  }
}
