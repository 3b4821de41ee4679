package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** {@code ebb serve} with a folder and ports of its own, and an operator who uses its HTTP API. */
final class ServingProcess implements AutoCloseable {

  private static final Pattern PORT = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");
  private static final Duration LONGEST_CALL = Duration.ofSeconds(60);

  private final Path directory;
  private final String javaOptions;
  private final HttpClient http = HttpClient.newHttpClient();
  private Process process;
  private int port;
  private int adminPort;

  /**
   * Starts it.
   *
   * @param plugins the plugin folder
   * @param settings the rest of the section {@code ebb} of its configuration
   * @param javaOptions more options of its JVM
   */
  ServingProcess(Path directory, Path plugins, String settings, String javaOptions)
      throws IOException {
    this.directory = directory;
    this.javaOptions = javaOptions;
    Files.writeString(
        directory.resolve("ebb.conf"),
        """
        ebb {
          server.port = 0
          admin.port = 0
          plugins { folder = "%s", run = "%s" }
          %s
        }
        """
            .formatted(plugins, directory.resolve("run"), settings));
    process = start();
  }

  /** An answer of the HTTP API. */
  record Answer(int status, String body) {
    JsonNode json() {
      return new ObjectMapper().readTree(body);
    }
  }

  private Process start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(Ebb.launcher(), "serve")
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(directory.resolve("err").toFile()));
    Ebb.prepare(builder, javaOptions);
    Process started = builder.start();
    // Not closed: the process may print later, and would fail at a closed pipe.
    BufferedReader out = started.inputReader();
    port = port(out.readLine());
    adminPort = port(out.readLine());
    return started;
  }

  private static int port(String line) {
    Matcher matcher = PORT.matcher(String.valueOf(line));
    assertThat(matcher.find()).as(line).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  /** Starts it again after it has ended. Its ports change. */
  void restart() throws IOException {
    kill();
    process = start();
  }

  InetSocketAddress resp() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  InetSocketAddress admin() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), adminPort);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until it has ended; returns false if it has not ended in time. */
  boolean endsWithin(Duration time) throws InterruptedException {
    return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  int exitStatus() {
    return process.exitValue();
  }

  Answer get(String path) throws IOException, InterruptedException {
    return send("GET", path, "");
  }

  /** Sends a call, and once more if its connection ends: a plugin can interrupt what serves it. */
  Answer send(String method, String path, String json) throws IOException, InterruptedException {
    try {
      return sendOnce(method, path, json);
    } catch (HttpTimeoutException late) {
      throw late;
    } catch (IOException ended) {
      return sendOnce(method, path, json);
    }
  }

  private Answer sendOnce(String method, String path, String json)
      throws IOException, InterruptedException {
    HttpRequest.BodyPublisher body =
        json.isEmpty()
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(json);
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path))
                .timeout(LONGEST_CALL)
                .header("Content-Type", "application/json")
                .method(method, body)
                .build(),
            HttpResponse.BodyHandlers.ofString());
    return new Answer(answer.statusCode(), answer.body());
  }

  /** Returns the memory of the process, as the operating system counts it. */
  long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid() + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new IOException("no VmRSS of process " + pid());
  }

  void collectGarbage() {
    Shell.run(
        directory,
        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
        Long.toString(pid()),
        "GC.run");
  }

  /** Returns the used heap after a full garbage collection. */
  long heapBytes() throws IOException, InterruptedException {
    collectGarbage();
    return get("/api/v1/stats").json().at("/jvm/heapUsedBytes").asLong();
  }

  /** Returns what it has logged. */
  String log() throws IOException {
    return Files.readString(directory.resolve("err"));
  }

  void terminate() {
    process.destroy();
  }

  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
    http.close();
  }
}
