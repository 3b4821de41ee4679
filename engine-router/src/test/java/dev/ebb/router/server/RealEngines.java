package dev.ebb.router.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ebb.host.cli.EbbMain;
import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.llama.testing.TinyModel;
import dev.ebb.router.choice.RoutedEngine.State;
import dev.ebb.router.choice.RouterOptions;
import dev.ebb.router.choice.RoutingPolicy;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Processes of {@code ebb engine start} with a tiny model of llama.cpp.
 *
 * <p>The main method prints what they compute of a trace, by policy: {@code RealEngines FOLDER
 * TRACE REQUESTS ENGINES CONTEXT}. A block of the trace becomes 16 tokens.
 */
final class RealEngines implements AutoCloseable {

  static final JsonMapper JSON = new JsonMapper();
  private static final Pattern SERVING =
      Pattern.compile("ebb: serving 'tiny' at (http://\\S+)/v1,");

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Process> processes = new ArrayList<>();
  private final List<String> urls = new ArrayList<>();

  /** Starts engines with so many cells. */
  RealEngines(Path folder, int engines, int cells) throws IOException {
    Path model = new TinyModel().write(folder.resolve("tiny.gguf"));
    Path plugins = Files.createDirectory(folder.resolve("plugins"));
    Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
    PluginJarBuilder.plugin("orders")
        .rankedPolicy("lru", "entry.lastAccessTick()")
        .writeTo(plugins, "orders.jar");
    for (int i = 0; i < engines; i++) {
      Path config =
          Files.writeString(
              folder.resolve("engine-" + i + ".conf"),
              "ebb.plugins { folder = \"%s\", run = \"%s\" }\n"
                  .formatted(plugins, folder.resolve("run-" + i)));
      processes.add(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  EbbMain.class.getName(),
                  "engine",
                  "start",
                  model.toString(),
                  "--config",
                  config.toString(),
                  "--port",
                  "0",
                  "--admin-port",
                  "0",
                  "--threads",
                  "1",
                  "--context",
                  Integer.toString(cells))
              .redirectErrorStream(true)
              .start());
    }
    for (Process process : processes) {
      urls.add(address(process.inputReader()));
    }
  }

  private static String address(BufferedReader out) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher serving = SERVING.matcher(line);
      if (serving.find()) {
        Thread.ofVirtual().start(() -> out.lines().forEach(rest -> {}));
        return serving.group(1);
      }
      all.append(line).append('\n');
    }
    throw new IOException("it did not start: " + all);
  }

  String url(int engine) {
    return urls.get(engine);
  }

  /** Ends an engine as {@code kill -9} does. */
  void kill(int engine) {
    processes.get(engine).destroyForcibly();
  }

  /** Starts a router, and waits until all engines take requests. */
  RouterServer route(RoutingPolicy policy) throws InterruptedException {
    RouterServer router =
        new RouterServer(
            urls,
            RouterOptions.DEFAULTS.with(policy),
            new HttpOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                AccessTokens.NONE,
                null,
                new HttpOptions.Names("--port", "--api-key-file", "--tls-certificate")),
            Duration.ofMillis(200),
            false);
    while (router.status().engines().stream().anyMatch(each -> each.state() != State.UP)) {
      Thread.sleep(10);
    }
    return router;
  }

  static String url(RouterServer router) {
    return "http://127.0.0.1:" + router.address().getPort();
  }

  /** Completes a prompt greedily, and returns the answer of any status. */
  HttpResponse<String> complete(String url, Object prompt, int tokens, boolean stream, String salt)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create(url + "/v1/completions"))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofByteArray(
                    JSON.writeValueAsBytes(
                        Map.of(
                            "prompt", prompt,
                            "max_tokens", tokens,
                            "temperature", 0,
                            "ignore_eos", true,
                            "cache_salt", salt,
                            "stream", stream))))
            .build(),
        BodyHandlers.ofString(UTF_8));
  }

  /** Sends prompts from some clients, each in its order; returns how many tokens were computed. */
  long computed(RoutingPolicy policy, List<List<int[]>> clients) throws Exception {
    long computed = 0;
    try (RouterServer router = route(policy);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> running = new ArrayList<>();
      for (List<int[]> prompts : clients) {
        running.add(threads.submit(() -> computed(url(router), prompts, policy.toString())));
      }
      for (Future<Long> each : running) {
        computed += each.get();
      }
    }
    return computed;
  }

  private long computed(String url, List<int[]> prompts, String salt) throws Exception {
    long computed = 0;
    for (int[] prompt : prompts) {
      HttpResponse<String> response = complete(url, prompt, 1, false, salt);
      if (response.statusCode() != 200) {
        throw new IOException(response.body());
      }
      JsonNode usage = JSON.readTree(response.body()).get("usage");
      computed +=
          usage.get("prompt_tokens").intValue()
              - usage.at("/prompt_tokens_details/cached_tokens").intValue();
    }
    return computed;
  }

  @Override
  public void close() {
    client.close();
    processes.forEach(Process::destroyForcibly);
  }

  /** Prints the computed tokens by policy. */
  public static void main(String[] args) throws Exception {
    int requests = Integer.parseInt(args[2]);
    int parallel = 4;
    List<List<int[]>> clients = new ArrayList<>();
    long tokens = 0;
    try (TraceReader trace = TraceReader.open(Path.of(args[1]), OnError.STOP)) {
      for (int i = 0; i < requests && trace.next(); i++) {
        if (i < parallel) {
          clients.add(new ArrayList<>());
        }
        int[] prompt = new int[16 * trace.request().blocks()];
        for (int block = 0; block < trace.request().blocks(); block++) {
          int[] ids = new Random(trace.request().id(block)).ints(16, 3 + 'a', 3 + 'z').toArray();
          System.arraycopy(ids, 0, prompt, 16 * block, 16);
        }
        tokens += prompt.length;
        clients.get(i % parallel).add(prompt);
      }
    }
    for (RoutingPolicy policy : RoutingPolicy.values()) {
      Path folder = Files.createDirectories(Path.of(args[0], policy.toString()));
      try (RealEngines engines =
          new RealEngines(folder, Integer.parseInt(args[3]), Integer.parseInt(args[4]))) {
        long computed = engines.computed(policy, clients);
        System.out.printf(
            "%-12s computed %d of %d (%.1f %% cached)%n",
            policy, computed, tokens, 100.0 * (tokens - computed) / tokens);
      }
    }
  }
}
