package dev.ebb.router.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** An engine that answers as a test says, and fails on everything else. */
final class FakeEngine implements AutoCloseable {

  /** Answers one request. */
  interface Behaviour {
    void answer(HttpExchange exchange, FakeEngine engine) throws Exception;
  }

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer server;
  private final int port;
  final List<String> bodies = Collections.synchronizedList(new ArrayList<>());
  final List<String> keys = Collections.synchronizedList(new ArrayList<>());
  final CountDownLatch clientGone = new CountDownLatch(1);
  final CountDownLatch release = new CountDownLatch(1);
  volatile int health = 200;
  volatile double started = 1;
  volatile Behaviour behaviour;

  FakeEngine(Behaviour behaviour) throws IOException {
    this.behaviour = behaviour;
    server = open(0);
    port = server.getAddress().getPort();
  }

  private HttpServer open(int port) throws IOException {
    HttpServer opened =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    opened.setExecutor(threads);
    opened.createContext("/health", exchange -> text(exchange, health, "{}"));
    opened.createContext(
        "/metrics",
        exchange -> text(exchange, 200, "process_start_time_seconds " + started + "\n"));
    opened.createContext(
        "/v1/models", exchange -> text(exchange, 200, "{\"data\":[{\"id\":\"fake\"}]}"));
    opened.createContext("/v1/completions", this::complete);
    opened.start();
    return opened;
  }

  private void complete(HttpExchange exchange) {
    try (exchange) {
      bodies.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
      behaviour.answer(exchange, this);
    } catch (Exception cut) {
      // The connection is closed without an answer, or in its middle.
    }
  }

  static void text(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  static OutputStream stream(HttpExchange exchange, String type) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(200, 0);
    return exchange.getResponseBody();
  }

  /** Returns an answer with a text and the usage. */
  static Behaviour answers(String text) {
    return (exchange, engine) ->
        text(
            exchange,
            200,
            "{\"choices\":[{\"index\":0,\"text\":\"%s\"}],\"usage\":{\"prompt_tokens\":10,\"prompt_tokens_details\":{\"cached_tokens\":0}}}"
                .formatted(text));
  }

  /** Writes comments until the client is gone. */
  static void untilGone(OutputStream out, FakeEngine engine) throws InterruptedException {
    try {
      while (!engine.release.await(20, TimeUnit.MILLISECONDS)) {
        out.write(":\n\n".getBytes(UTF_8));
        out.flush();
      }
    } catch (IOException gone) {
      engine.clientGone.countDown();
    }
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  void stop() {
    server.stop(0);
  }

  void startAgain() throws IOException {
    started++;
    server = open(port);
  }

  @Override
  public void close() {
    release.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
