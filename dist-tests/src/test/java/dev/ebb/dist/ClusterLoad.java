package dev.ebb.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Many clients over all nodes of a cluster, and what they have found. */
final class ClusterLoad {

  static final int CHUNKS = 300;

  final ClusterProcesses cluster;
  final long pauseMillis;
  final AtomicBoolean stopped = new AtomicBoolean();

  /** Plain keys and the newest version that any client has sent. */
  final Map<String, AtomicLong> written = new ConcurrentHashMap<>();

  /** Keys that all nodes have deleted, and that no client stores again. */
  final Queue<String> deleted = new ConcurrentLinkedQueue<>();

  /** What must never happen. */
  final Queue<String> violations = new ConcurrentLinkedQueue<>();

  final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
  final Map<String, AtomicLong> errors = new ConcurrentHashMap<>();
  private final AtomicLong longestNanos = new AtomicLong();
  private final Map<String, AtomicLong> longestMillis = new ConcurrentHashMap<>();
  private final List<Thread> threads;
  private final long started = System.nanoTime();

  ClusterLoad(ClusterProcesses cluster, int clients) {
    this(cluster, clients, 1);
  }

  /** Starts clients that wait between two commands. */
  ClusterLoad(ClusterProcesses cluster, int clients, long pauseMillis) {
    this.cluster = cluster;
    this.pauseMillis = pauseMillis;
    threads =
        IntStream.range(0, clients)
            .mapToObj(
                i -> Thread.ofPlatform().name("client-" + i).start(new ClusterClient(this, i)::run))
            .toList();
  }

  static String chunk(long number) {
    return "Qwen/Qwen2.5-7B@1@0@%016x@bfloat16kv_bytes".formatted(number * 0x9e3779b97f4a7c15L);
  }

  static byte[] chunkValue(String key) {
    return CheckedValue.of(key, 0, 1_000 + Math.floorMod(key.hashCode(), 60_000));
  }

  static String metadataKey(String chunk) {
    return chunk.substring(0, chunk.length() - "kv_bytes".length()) + "metadata";
  }

  /** The metadata of a chunk, 28 bytes. */
  static byte[] metadata(String chunk) {
    return "metadata %19s"
        .formatted(Integer.toHexString(chunk.hashCode()))
        .getBytes(StandardCharsets.US_ASCII);
  }

  void count(String what) {
    counts.computeIfAbsent(what, any -> new AtomicLong()).incrementAndGet();
  }

  void error(String what) {
    errors.computeIfAbsent(what, any -> new AtomicLong()).incrementAndGet();
  }

  void violation(EbbProcess node, String what) {
    String line = "%6.1f s %s: %s".formatted(seconds(), node, what);
    violations.add(line);
    System.out.println("VIOLATION " + line);
  }

  double seconds() {
    return (System.nanoTime() - started) / 1e9;
  }

  void took(String command, long nanos) {
    longestNanos.accumulateAndGet(nanos, Math::max);
    longestMillis
        .computeIfAbsent(command, any -> new AtomicLong())
        .accumulateAndGet(nanos / 1_000_000, Math::max);
  }

  /** Returns the longest time that a command took since the last call. */
  double longestSeconds() {
    return longestNanos.getAndSet(0) / 1e9;
  }

  /** Stops the clients, and waits for them. */
  void stop() throws InterruptedException {
    stopped.set(true);
    for (Thread each : threads) {
      each.join();
    }
  }

  /** Compares the answers of all nodes once nothing is left to replicate. */
  void checkConverged() {
    int different = 0;
    int missing = 0;
    for (String key : written.keySet()) {
      Map<String, Long> found = new ConcurrentHashMap<>();
      List<EbbProcess> nodes = cluster.running();
      for (EbbProcess node : nodes) {
        long version = versionAt(node, key);
        if (version > 0) {
          found.put(node.name, version);
        }
      }
      if (found.values().stream().distinct().count() > 1) {
        different++;
        violation(nodes.getFirst(), "the nodes differ in '%s': %s".formatted(key, found));
      }
      missing += found.isEmpty() || found.size() == nodes.size() ? 0 : 1;
    }
    for (String key : deleted) {
      for (EbbProcess node : cluster.running()) {
        if (versionAt(node, key) >= 0) {
          violation(node, "the deleted '%s' came back".formatted(key));
        }
      }
    }
    System.out.printf(
        "  after quiet: %d plain keys, %d differ, %d found by some nodes only; %d deleted keys%n",
        written.size(), different, missing, deleted.size());
  }

  private long versionAt(EbbProcess node, String key) {
    try (RespClient client = node.client(20_000)) {
      byte[] value = client.bytes("GET", key);
      return value == null ? -1 : CheckedValue.version(key, value);
    } catch (IOException | RespClient.ServerError e) {
      violation(node, "no answer to GET '%s': %s".formatted(key, e));
      return -1;
    } catch (CheckedValue.WrongValue e) {
      violation(node, String.valueOf(e.getMessage()));
      return -1;
    }
  }

  String report() {
    return "  %.0f s; %s%n  longest ms: %s%n  errors: %s; wrong values and hangs: %d%s"
        .formatted(
            seconds(),
            text(counts),
            text(longestMillis),
            text(errors),
            violations.size(),
            violations.stream()
                .limit(20)
                .map(line -> "\n    " + line)
                .collect(Collectors.joining()));
  }

  private static String text(Map<String, AtomicLong> numbers) {
    List<String> texts = new ArrayList<>();
    numbers.forEach((name, number) -> texts.add(name + " " + number));
    return texts.stream().sorted().collect(Collectors.joining(", "));
  }
}
