package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.app.LazyJedis;
import dev.ebb.host.app.Serving;
import dev.ebb.host.cluster.MemoryCluster;
import dev.ebb.host.config.Configs;
import dev.ebb.host.http.Operation;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A serving process on free ports, with three policies to choose from, and its clients. */
final class AdminProcess implements AutoCloseable {

  /** What a call was answered. */
  record Answer(int status, String body, HttpResponse<String> response) {
    JsonNode json() {
      return new ObjectMapper().readTree(body);
    }

    <T> T as(Class<T> type) {
      return new ObjectMapper().readValue(body, type);
    }

    String error() {
      return json().get("error").asString();
    }
  }

  /** A policy with gauges and explanations. */
  private static final String THIRD =
      """
      package acme;

      import dev.ebb.spi.*;
      import java.util.Map;

      public final class Third implements BlockPolicyProvider {
        public String name() { return "third"; }

        public BlockPolicy<?> create(PolicyContext context) { return new Policy(); }

        static final class Policy extends RankedBlockPolicy {
          protected double rank(Entry entry) { return entry.accesses(); }

          public Map<String, Double> gauges() { return Map.of("held", (double) size()); }
        }
      }
      """;

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Host host;
  private final Serving serving;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Jedis jedis;

  private AdminProcess(Host host, Serving serving) {
    this.host = host;
    this.serving = serving;
    jedis = new LazyJedis(serving.address());
  }

  static AdminProcess start(Path home, String settings) {
    return start(home, settings, Serving::start);
  }

  /** A node of a cluster. */
  static AdminProcess start(Path home, String settings, MemoryCluster cluster) {
    return start(home, settings, host -> Serving.start(host, cluster.module()));
  }

  private static AdminProcess start(Path home, String settings, Function<Host, Serving> serve) {
    PluginJarBuilder.plugin("acme")
        .version("1.2.3")
        .policy("first")
        .policy(
            "second",
            """
            context.settings().integer("size", 4, 1, 10);
            context.settings().choice("ageing", Ageing.NONE);
            """)
        .provider("acme.Third", THIRD)
        .writeTo(Configs.plugins(home), "acme.jar");
    Host host =
        Host.open(
            Configs.of(
                home,
                """
                ebb.pool.size = 2 MiB
                ebb.server.port = 0
                ebb.admin.port = 0
                ebb.eviction.policy = first
                """
                    + settings));
    try {
      host.verify();
      return new AdminProcess(host, serve.apply(host));
    } catch (RuntimeException failed) {
      host.close();
      throw failed;
    }
  }

  InetSocketAddress address() {
    return requireNonNull(serving.adminAddress());
  }

  /** Every call. */
  List<Operation> operations() {
    return serving.adminOperations();
  }

  Serving serving() {
    return serving;
  }

  /** A client of the cache. */
  Jedis jedis() {
    return jedis;
  }

  void put(String key, int bytes) {
    jedis.set(key.getBytes(StandardCharsets.UTF_8), new byte[bytes]);
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address().getPort() + path))
        .timeout(TIMEOUT);
  }

  Answer get(String path) {
    return send(request(path).GET());
  }

  Answer call(String method, String path, String json) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(json)));
  }

  Answer delete(String path) {
    return send(request(path).DELETE());
  }

  Answer send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body(), response);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  HttpClient client() {
    return client;
  }

  /** Sends bytes as they are, and reads until the server closes. */
  String raw(String request) throws IOException {
    try (Socket socket = new Socket(address().getAddress(), address().getPort())) {
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public void close() {
    jedis.close();
    client.close();
    serving.close();
    host.close();
  }
}
