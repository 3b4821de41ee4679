package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A serving process with a small heap, clients that verify every value, and malformed input. */
class MalformedRequestsIT {

  private static final long SEED = 20_261_123;
  private static final int WORKERS = 6;
  private static final int CLIENTS = 2;
  private static final long PAUSE_MILLIS = 5;
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final int MOST_READ = 1 << 20;
  private static final int MOST_PROBLEMS = 20;

  /** What is loaded, cached and compiled during the run. */
  private static final long HEAP_NOISE = 40L << 20;

  @TempDir private Path directory;
  private final Map<String, LongAdder> kinds = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> replies = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void someThousandDoNotAffectOtherClients() throws Exception {
    send(2_500);
  }

  @Test
  @Tag("stress")
  @Timeout(value = 90, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aMillionDoNotAffectOtherClients() throws Exception {
    send(Long.getLong("ebb.malformed.inputs", 1_000_000));
  }

  private void send(long inputs) throws Exception {
    Path plugins = Ebb.ROOT.resolve("plugins");
    try (ServingProcess server =
            new ServingProcess(directory, plugins, "pool.size = 16 MiB", "-Xmx256m");
        VerifyingClients clients = new VerifyingClients(server::resp, CLIENTS, PAUSE_MILLIS)) {
      // Loads classes and fills caches, so that the memory before can be compared.
      long first = Math.min(inputs / 10, 20_000);
      run(server, 0, first);
      String before = memory(server);
      long heapBefore = server.heapBytes();
      clients.window();
      long start = System.nanoTime();
      run(server, first, inputs);
      double seconds = (System.nanoTime() - start) / 1e9;
      VerifyingClients.Window window = clients.window();
      String report = report(inputs, seconds, window) + "before: " + before;
      System.out.println(report + "\nafter: " + memory(server));
      isUnharmed(server, clients);
      assertThat(server.heapBytes()).isLessThan(heapBefore + HEAP_NOISE);
    }
  }

  private void run(ServingProcess server, long from, long to) throws InterruptedException {
    AtomicLong next = new AtomicLong(from);
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(
          Thread.ofPlatform()
              .start(() -> {
                long number = next.getAndIncrement();
                while (number < to && problems.size() < MOST_PROBLEMS) {
                  send(server, number);
                  number = next.getAndIncrement();
                }
              }));
    }
    for (Thread worker : workers) {
      worker.join();
    }
  }

  private void send(ServingProcess server, long number) {
    MalformedInput input = MalformedInput.of(SEED, number);
    kinds.computeIfAbsent(input.kind(), kind -> new LongAdder()).increment();
    String reply;
    try {
      reply = reply(input.http() ? server.admin() : server.resp(), input);
    } catch (SocketTimeoutException late) {
      reply = "none within " + TIMEOUT_MILLIS + " ms";
      problems.add("input %d, %s: no reply, and not closed".formatted(number, input.kind()));
    } catch (IOException reset) {
      reply = "connection reset";
    }
    String start = (input.http() ? "HTTP: " : "RESP: ") + reply;
    replies.computeIfAbsent(start, any -> new LongAdder()).increment();
    if (reply.startsWith("unknown") || reply.equals("500")) {
      problems.add("input %d, %s: %s".formatted(number, input.kind(), reply));
    }
  }

  /** Sends the input and nothing more, and returns what kind of reply comes. */
  private static String reply(InetSocketAddress address, MalformedInput input) throws IOException {
    try (Socket socket = new Socket()) {
      // Many connections: the ports of one loopback address would not suffice.
      socket.bind(new InetSocketAddress("127.0.0." + (1 + input.bytes().length % 200), 0));
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(address, TIMEOUT_MILLIS);
      socket.setSoLinger(true, 0);
      socket.getOutputStream().write(input.bytes());
      socket.shutdownOutput();
      return input.http() ? status(socket.getInputStream()) : firstType(socket.getInputStream());
    }
  }

  private static String status(InputStream in) throws IOException {
    byte[] start = in.readNBytes(12);
    if (start.length == 0) {
      return "closed";
    }
    String line = new String(start, StandardCharsets.ISO_8859_1);
    return line.matches("HTTP/1\\.1 [1-5]\\d\\d") ? line.substring(9) : "unknown: " + line;
  }

  private static String firstType(InputStream in) throws IOException {
    int first = in.read();
    in.readNBytes(MOST_READ);
    return switch (first) {
      case -1 -> "closed";
      case '-' -> "error";
      case '+', ':', '$', '*', '%', '_', ',', '#', '~', '=', '(' -> "value";
      default -> "unknown: " + (char) first;
    };
  }

  private void isUnharmed(ServingProcess server, VerifyingClients clients) throws Exception {
    assertThat(problems).isEmpty();
    assertThat(clients.problems()).isEmpty();
    assertThat(server.isAlive()).isTrue();
    assertThat(server.log().lines().filter(line -> line.contains(" ERROR "))).isEmpty();
    server.send("PUT", "/api/v1/policy", "{\"policy\": \"lru\"}");
    clients.window();
    TimeUnit.SECONDS.sleep(1);
    assertThat(clients.window().found()).isPositive();
    assertThat(server.get("/api/v1/stats").json().at("/clients/connections").asInt())
        .isLessThanOrEqualTo(CLIENTS);
  }

  private static String memory(ServingProcess server) throws IOException, InterruptedException {
    long heap = server.heapBytes();
    return "RSS %d MiB, heap %d MiB".formatted(server.residentBytes() >> 20, heap >> 20);
  }

  private String report(long inputs, double seconds, VerifyingClients.Window window) {
    StringBuilder text = new StringBuilder();
    text.append("%d inputs in %.0f s, seed %d%n".formatted(inputs, seconds, SEED));
    new TreeMap<>(kinds).forEach((kind, count) -> text.append(kind + ": " + count + "\n"));
    text.append("replies: ").append(new TreeMap<>(replies)).append('\n');
    text.append(
        "other clients: %d commands, p99 %.1f ms, longest %.1f ms%n"
            .formatted(window.commands(), window.p99Nanos() / 1e6, window.longestNanos() / 1e6));
    problems.forEach(problem -> text.append(problem).append('\n'));
    return text.toString();
  }
}
