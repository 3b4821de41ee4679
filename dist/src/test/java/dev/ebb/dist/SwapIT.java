package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A serving process whose policies and JARs change under its clients. */
class SwapIT {

  /** The block policies of the shipped plugins. */
  static final List<String> SHIPPED =
      List.of(
          "lru",
          "fifo",
          "lfu",
          "priority",
          "arc",
          "sieve",
          "s3-fifo",
          "clock",
          "2q",
          "qdlp",
          "lirs",
          "gdsf",
          "lecar",
          "w-tinylfu",
          "slru",
          "t-lru",
          "ttl-lru",
          "retention",
          "marconi",
          "workload-aware",
          "predictive",
          "lifetime");

  private static final int ROUNDS = 3;
  private static final Pattern PORT = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

  @TempDir private Path directory;
  private int admin;

  @Test
  void policiesAndJarsChangeUnderTraffic() throws Exception {
    Path plugins = DropFolder.in(directory);
    try (Stream<Path> shipped = Files.list(Ebb.ROOT.resolve("plugins"))) {
      for (Path jar : shipped.filter(file -> file.toString().endsWith(".jar")).toList()) {
        DropFolder.put(jar, plugins, jar.getFileName().toString());
      }
    }
    drop(1);
    Process process = serve();
    try (BufferedReader out = process.inputReader()) {
      int port = port(out.readLine());
      admin = port(out.readLine());
      AtomicBoolean stopped = new AtomicBoolean();
      CompletableFuture<Long> client = CheckingClient.start(port, stopped);
      int version = 1;
      for (int round = 0; round < ROUNDS; round++) {
        for (String policy : SHIPPED) {
          set(policy);
        }
        set("acme-first");
        drop(++version);
        awaitVersion("1.0." + version);
      }
      stopped.set(true);
      assertThat(client.get(2, TimeUnit.MINUTES)).isPositive();
      check(process.pid());
      process.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(directory.resolve("err")).content().doesNotContain("Exception");
  }

  private void check(long pid) throws IOException, InterruptedException {
    JsonNode stats = get("/api/v1/stats");
    assertThat(stats.at("/traffic/notAdmitted").asInt()).isZero();
    assertThat(stats.at("/pool/occupancy").asDouble()).isBetween(0.1, 1.0);
    assertThat(get("/api/v1/policy").at("/quarantine")).isEmpty();
    for (JsonNode swap : get("/api/v1/plugins/history").at("/history")) {
      assertThat(swap.at("/published").asBoolean()).as("%s", swap).isTrue();
    }
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    while (get("/api/v1/plugins/history").at("/loaders").asInt() > 0) {
      assertThat(System.nanoTime()).as("old class loaders are collected").isLessThan(end);
      collect(pid);
    }
  }

  private static void collect(long pid) throws IOException, InterruptedException {
    new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
            String.valueOf(pid),
            "GC.run")
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
    Thread.sleep(100);
  }

  private Path plugins() {
    return directory.resolve("plugins");
  }

  private void drop(int version) throws IOException {
    Path built = directory.resolve("acme.built");
    new PluginJar("acme", "1.0." + version).policy("First", "acme-first").build(built);
    Files.move(
        built,
        plugins().resolve("acme.jar"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private void set(String policy) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(uri("/api/v1/policy"))
                .header("Content-Type", "application/json")
                .PUT(
                    HttpRequest.BodyPublishers.ofString("{\"policy\": \"%s\"}".formatted(policy))));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  private void awaitVersion(String version) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!get("/api/v1/policy").at("/version/version").asString().equals(version)) {
      assertThat(System.nanoTime()).as("%s takes over", version).isLessThan(end);
      Thread.sleep(100);
    }
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return new ObjectMapper().readTree(send(HttpRequest.newBuilder(uri(path)).GET()).body());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + admin + path);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private Process serve() throws IOException {
    Files.writeString(
        directory.resolve("ebb.conf"),
        """
        ebb {
          pool.size = 8 MiB
          server.port = 0
          admin.port = 0
          plugins { folder = "%s", run = "%s", rescan = 1 s }
          eviction.deadline = 5 s
        }
        """
            .formatted(plugins(), directory.resolve("run")));
    ProcessBuilder builder =
        new ProcessBuilder(Ebb.ROOT.resolve("ebb").toString(), "serve")
            .directory(directory.toFile())
            .redirectError(directory.resolve("err").toFile());
    builder.environment().put("EBB_JAVA_HOME", System.getProperty("java.home"));
    return builder.start();
  }

  private static int port(String line) {
    Matcher matcher = PORT.matcher(String.valueOf(line));
    assertThat(matcher.find()).as(line).isTrue();
    return Integer.parseInt(matcher.group(1));
  }
}
