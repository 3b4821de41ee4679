package dev.ebb.llama.server;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.engine.stats.RequestStats;
import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.llama.binding.ContextOptions;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.binding.Sampler;
import dev.ebb.llama.testing.Engine;
import dev.ebb.server.completion.EngineServer;
import dev.ebb.server.completion.ServerOptions;
import dev.ebb.server.model.TokenText;
import java.io.IOException;
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
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server with a tiny model, for tests, and its clients. */
final class TestServer implements AutoCloseable {

  static final JsonMapper JSON = new JsonMapper();
  static final int BLOCK = 8;
  static final HttpOptions.Names NAMES =
      new HttpOptions.Names("--port", "--api-key-file", "--tls-certificate");
  private static final int BATCH = 64;

  private final HttpClient client = HttpClient.newHttpClient();
  final EngineServer server;

  private TestServer(EngineServer server) {
    this.server = server;
  }

  /**
   * Writes the configuration and the policies {@code lru} and {@code fifo} into a folder. Skips the
   * test if llama.cpp does not run here.
   */
  static Path configure(Path folder) throws IOException {
    Engine.assumeRuns();
    Path plugins = Files.createDirectory(folder.resolve("plugins"));
    Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
    PluginJarBuilder.plugin("orders")
        .policy("fifo")
        .rankedPolicy("lru", "entry.lastAccessTick()")
        .writeTo(plugins, "orders.jar");
    return Files.writeString(
        folder.resolve("ebb.conf"),
        """
        ebb.plugins { folder = "%s", run = "%s" }
        ebb.admin { enabled = true, port = 0 }
        """
            .formatted(plugins, folder.resolve("run")));
  }

  /** Starts a server with so many cells and parallel requests, and a policy. */
  static TestServer start(Path model, Path config, int cells, int parallel, String policy) {
    return start(model, config, cells, scheduler(parallel), policy);
  }

  private static SchedulerOptions scheduler(int parallel) {
    return new SchedulerOptions(
        parallel, BATCH, 256, Duration.ofMinutes(2), false, Duration.ofSeconds(10), 1_024);
  }

  static TestServer start(
      Path model, Path config, int cells, SchedulerOptions scheduler, String policy) {
    return start(model, config, cells, scheduler, policy, false);
  }

  static TestServer start(
      Path model,
      Path config,
      int cells,
      SchedulerOptions scheduler,
      String policy,
      boolean flashAttention) {
    HttpOptions http = http(AccessTokens.NONE);
    return start(model, config, cells, null, scheduler, policy, flashAttention, http, false);
  }

  /** Starts a server for tenants with keys. */
  static TestServer start(
      Path model, Path config, Map<String, String> keys, boolean sharePrefixes) {
    HttpOptions http = http(new AccessTokens(keys));
    return start(model, config, 1_024, null, scheduler(4), "lru", false, http, sharePrefixes);
  }

  /** Starts a server with so much memory. */
  static TestServer start(Path model, Path config, long bytes, int parallel, String policy) {
    HttpOptions http = http(AccessTokens.NONE);
    return start(model, config, null, bytes, scheduler(parallel), policy, false, http, false);
  }

  private static HttpOptions http(AccessTokens keys) {
    return new HttpOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), keys, null, NAMES);
  }

  static TestServer start(
      Path model,
      Path config,
      @Nullable Integer cells,
      @Nullable Long bytes,
      SchedulerOptions scheduler,
      String policy,
      boolean flashAttention,
      HttpOptions http,
      boolean sharePrefixes) {
    return new TestServer(
        EngineServer.start(
            new LlamaBackend(),
            new ServerOptions(
                model,
                "tiny",
                cells,
                bytes,
                BLOCK,
                1,
                flashAttention,
                scheduler,
                http,
                sharePrefixes,
                PriorityScale.LARGER_FIRST,
                config,
                List.of(new ConfigOverride("ebb.eviction.policy", policy, "--eviction-policy"))),
            () -> {}));
  }

  ServerMemory memory() {
    return (ServerMemory) server.model();
  }

  RequestStats requests() {
    return requireNonNull(server.ebb().stats().requests());
  }

  HttpRequest.Builder request(String path) {
    InetSocketAddress address = server.address();
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:%d%s".formatted(address.getPort(), path)));
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, Map<String, ?> body)
      throws IOException, InterruptedException {
    return post(path, body, "none");
  }

  /** Sends a request with an API key. */
  HttpResponse<String> post(String path, Map<String, ?> body, String key)
      throws IOException, InterruptedException {
    return client.send(
        request(path)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Completes a prompt greedily; fails unless the answer has the status 200. */
  JsonNode complete(int[] prompt, int tokens) {
    return complete(prompt, tokens, 1);
  }

  JsonNode complete(int[] prompt, int tokens, int priority) {
    try {
      HttpResponse<String> response =
          post(
              "/v1/completions",
              Map.of(
                  "prompt",
                  prompt,
                  "max_tokens",
                  tokens,
                  "temperature",
                  0,
                  "priority",
                  priority,
                  "ignore_eos",
                  true,
                  "return_token_ids",
                  true));
      if (response.statusCode() != 200) {
        throw new AssertionError(response.statusCode() + ": " + response.body());
      }
      return JSON.readTree(response.body());
    } catch (IOException failed) {
      throw new AssertionError(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  /**
   * Sends a request for a stream.
   *
   * @return the connection, from which nothing was read
   */
  Socket connect(int[] prompt, int tokens) throws IOException {
    return connect(prompt, tokens, true);
  }

  private Socket connect(int[] prompt, int tokens, boolean stream) throws IOException {
    byte[] body =
        JSON.writeValueAsBytes(
            Map.of(
                "prompt", prompt,
                "max_tokens", tokens,
                "temperature", 0,
                "ignore_eos", true,
                "stream", stream));
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
    String head =
        """
        POST /v1/completions HTTP/1.1
        Host: localhost
        Content-Type: application/json
        Content-Length: %d

        """
            .formatted(body.length)
            .replace("\n", "\r\n");
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().write(body);
    return socket;
  }

  /** Sends a request and disconnects: before the answer, after its beginning, or in its middle. */
  void cancelled(int number) throws IOException {
    boolean stream = number % 2 == 0;
    try (Socket socket = connect(prompt(number % 10, 60), 600, stream)) {
      if (number % 3 == 0) {
        // The kernel resets the connection.
        socket.setSoLinger(true, 0);
      }
      for (int i = 0; stream && i < number; i++) {
        socket.getInputStream().read();
      }
    }
  }

  static String text(JsonNode answer) {
    return answer.get("choices").get(0).get("text").stringValue();
  }

  static int[] tokens(JsonNode answer) {
    return JSON.convertValue(answer.get("choices").get(0).get("token_ids"), int[].class);
  }

  /**
   * Returns by how much a token of an answer is at most less likely than the likeliest one: its
   * logit's distance from the largest, as llama.cpp computes them without Ebb after the same
   * tokens.
   */
  static float distanceFromGreedy(LlamaModel model, int[] prompt, int[] answer) {
    try (LlamaContext context =
        new LlamaContext(model, new ContextOptions(1_024, BATCH, 1, 1, null))) {
      decode(context, prompt);
      float distance = 0;
      for (int i = 0; i < answer.length; i++) {
        if (i > 0) {
          context.decode(0, new int[] {answer[i - 1]}, prompt.length + i - 1);
        }
        float[] logits = context.logits();
        for (float logit : logits) {
          distance = Math.max(distance, logit - logits[answer[i]]);
        }
      }
      return distance;
    }
  }

  private static void decode(LlamaContext context, int... prompt) {
    for (int at = 0; at < prompt.length; at += BATCH) {
      context.decode(0, Arrays.copyOfRange(prompt, at, Math.min(prompt.length, at + BATCH)), at);
    }
  }

  static int cached(JsonNode answer) {
    return answer.get("usage").get("prompt_tokens_details").get("cached_tokens").intValue();
  }

  /** Returns random tokens, which are bytes of printable text. */
  static int[] prompt(long seed, int length) {
    // Byte b has the token 3 + b.
    return new Random(seed).ints(length, 3 + 'a', 3 + 'z').toArray();
  }

  static int[] join(int[] first, int... second) {
    int[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** Returns the tokens that llama.cpp generates greedily for a prompt, without Ebb. */
  static int[] alone(LlamaModel model, int[] prompt, int tokens) {
    try (LlamaContext context =
            new LlamaContext(model, new ContextOptions(1_024, BATCH, 1, 1, null));
        Sampler greedy = Sampler.greedy()) {
      decode(context, prompt);
      int[] answer = new int[tokens];
      for (int i = 0; i < tokens; i++) {
        if (i > 0) {
          context.decode(0, new int[] {answer[i - 1]}, prompt.length + i - 1);
        }
        answer[i] = greedy.next(context);
      }
      return answer;
    }
  }

  static String text(LlamaModel model, int... tokens) {
    TokenText decoder = new TokenText();
    StringBuilder text = new StringBuilder();
    for (int token : tokens) {
      text.append(decoder.add(model.piece(token)));
    }
    return text.append(decoder.end()).toString();
  }

  @Override
  public void close() {
    server.close();
    client.close();
  }
}
