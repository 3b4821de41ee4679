package dev.ebb.benchmarks;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The throughput of one server with tracing on beside off, which it switches with {@code
 * ebb.tracing.sample-ratio}. Each request is a span: a {@code BEGIN} with eight keys, eight {@code
 * GET}, an {@code END}. Both halves of a pair follow each other, in random order.
 */
public final class TracingRate {

  private static final int KEYS = 8;
  private static final int MOST_PROMPTS = 500;

  /** All values together, and those that are requested before the first answer is read. */
  private static final int MOST_BYTES = 40 << 20;

  private static final int PIPELINED_BYTES = 512 << 10;

  private static final int TICK_NANOS = 10_000_000;
  private static final Pattern VERSION = Pattern.compile("\"version\":(\\d+)");

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI config;
  private final Path process;
  private final OutputStream out;
  private final InputStream in;
  private final int valueBytes;
  private final byte[][] requests;
  private int next;

  private TracingRate(Socket server, int adminPort, long pid, int valueBytes) throws IOException {
    this.valueBytes = valueBytes;
    requests = new byte[Math.min(MOST_PROMPTS, MOST_BYTES / (KEYS * valueBytes))][];
    server.setTcpNoDelay(true);
    out = server.getOutputStream();
    in = new BufferedInputStream(server.getInputStream(), 1 << 16);
    config = URI.create("http://127.0.0.1:" + adminPort + "/api/v1/config");
    process = Path.of("/proc", Long.toString(pid), "stat");
  }

  /** What one half of a pair has measured: requests a second, and CPU time of each in us. */
  private record Half(double rate, double cpuMicros) {}

  /**
   * Measures.
   *
   * @param arguments the port of clients, that of the API, the server's process, the port of the
   *     collector, pairs, seconds of each half, bytes of a value
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int[] numbers = Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
    LongAdder spans = new LongAdder();
    HttpServer collector = collector(numbers[3], spans);
    try (Socket server = new Socket(InetAddress.getLoopbackAddress(), numbers[0])) {
      TracingRate bench = new TracingRate(server, numbers[1], numbers[2], numbers[6]);
      bench.fill();
      bench.measure(numbers[4], numbers[5]);
      System.out.println("bytes of spans at the collector: " + spans.sum());
    } finally {
      collector.stop(0);
    }
  }

  /** A collector that accepts everything. */
  private static HttpServer collector(int port, LongAdder received) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/",
        exchange -> {
          received.add(exchange.getRequestBody().readAllBytes().length);
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static void word(StringBuilder command, String word) {
    command.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
  }

  private static String command(String... words) {
    StringBuilder command = new StringBuilder("*" + words.length + "\r\n");
    Arrays.stream(words).forEach(word -> word(command, word));
    return command.toString();
  }

  private void fill() throws IOException {
    String value = "x".repeat(valueBytes);
    for (int prompt = 0; prompt < requests.length; prompt++) {
      String[] begin = new String[4 + KEYS];
      System.arraycopy(new String[] {"EBB.REQUEST", "BEGIN", "r", "KEYS"}, 0, begin, 0, 4);
      StringBuilder sets = new StringBuilder();
      StringBuilder gets = new StringBuilder();
      for (int i = 0; i < KEYS; i++) {
        String key = "p" + prompt + "/" + i;
        begin[4 + i] = key;
        sets.append(command("SET", key, value));
        gets.append(command("GET", key));
      }
      out.write(sets.toString().getBytes(StandardCharsets.US_ASCII));
      out.flush();
      in.skipNBytes(5L * KEYS);
      String end = command("EBB.REQUEST", "END", "r");
      requests[prompt] = (command(begin) + gets + end).getBytes(StandardCharsets.US_ASCII);
    }
  }

  /** Sends requests for some time; returns their number. */
  private long load(double seconds) throws IOException {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    // ":8", the values, and ":1".
    long answer = 4 + KEYS * (("$" + valueBytes).length() + 2L + valueBytes + 2) + 4;
    int pipeline = Math.max(1, PIPELINED_BYTES / (KEYS * valueBytes));
    long done = 0;
    while (System.nanoTime() < end) {
      for (int i = 0; i < pipeline; i++) {
        out.write(requests[next]);
        next = (next + 1) % requests.length;
      }
      out.flush();
      in.skipNBytes(pipeline * answer);
      done += pipeline;
    }
    return done;
  }

  private void measure(int pairs, int seconds) throws IOException, InterruptedException {
    sample(1);
    load(seconds);
    Random random = new Random(1);
    double[] rates = new double[pairs];
    double[] cpu = new double[pairs];
    System.out.println("pair  off req/s  on req/s  on/off  off us  on us  off/on (CPU)");
    for (int i = 0; i < pairs; i++) {
      boolean onFirst = random.nextBoolean();
      Half first = half(onFirst, seconds);
      Half second = half(!onFirst, seconds);
      Half on = onFirst ? first : second;
      Half off = onFirst ? second : first;
      rates[i] = on.rate / off.rate;
      cpu[i] = off.cpuMicros / on.cpuMicros;
      System.out.printf(
          Locale.ROOT,
          "%4d %10.0f %9.0f %7.3f %7.1f %6.1f %7.3f%n",
          i + 1,
          off.rate,
          on.rate,
          rates[i],
          off.cpuMicros,
          on.cpuMicros,
          cpu[i]);
    }
    summary("throughput, on / off", rates);
    summary("CPU time of the process for a request, off / on", cpu);
  }

  private static void summary(String what, double[] ratios) {
    Arrays.sort(ratios);
    System.out.printf(
        Locale.ROOT,
        "%s: median %.3f, quartiles %.3f to %.3f, of %d pairs%n",
        what,
        ratios[ratios.length / 2],
        ratios[ratios.length / 4],
        ratios[3 * ratios.length / 4],
        ratios.length);
  }

  private Half half(boolean on, int seconds) throws IOException, InterruptedException {
    sample(on ? 1 : 0);
    load(0.5);
    long cpu = cpuNanos();
    long start = System.nanoTime();
    long done = load(seconds);
    double took = (System.nanoTime() - start) / 1e9;
    return new Half(done / took, (cpuNanos() - cpu) / 1e3 / done);
  }

  /** Returns the CPU time of the server, user and system. */
  private long cpuNanos() throws IOException {
    String stat = Files.readString(process);
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_NANOS;
  }

  private void sample(int ratio) throws IOException, InterruptedException {
    Matcher version = VERSION.matcher(answer(HttpRequest.newBuilder(config).GET()));
    if (!version.find()) {
      throw new IOException("no version of the configuration");
    }
    String body =
        "{\"version\":%s,\"changes\":{\"ebb.tracing.sample-ratio\":%d}}"
            .formatted(version.group(1), ratio);
    answer(
        HttpRequest.newBuilder(config)
            .header("Content-Type", "application/json")
            .method("PATCH", HttpRequest.BodyPublishers.ofString(body)));
    TimeUnit.MILLISECONDS.sleep(100);
  }

  private String answer(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(answer.body());
    }
    return answer.body();
  }
}
