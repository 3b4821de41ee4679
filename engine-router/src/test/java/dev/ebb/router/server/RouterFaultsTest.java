package dev.ebb.router.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.router.choice.RoutedEngine;
import dev.ebb.router.choice.RoutedEngine.State;
import dev.ebb.router.choice.RouterOptions;
import dev.ebb.router.choice.RoutingPolicy;
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
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of engines, which real ones do not have on demand. */
@Timeout(30)
class RouterFaultsTest {

  private static final HttpOptions.Names NAMES =
      new HttpOptions.Names("--port", "--api-key-file", "--tls-certificate");
  private static final String BODY = "{\"prompt\":\"hello\",\"model\":\"fake\"}";
  private static final String STREAM = "{\"prompt\":\"hello\",\"stream\":true}";

  private final HttpClient client = HttpClient.newHttpClient();
  private final FakeEngine one = new FakeEngine(FakeEngine.answers("one"));
  private final FakeEngine two = new FakeEngine(FakeEngine.answers("two"));
  private RouterServer router;

  RouterFaultsTest() throws IOException {}

  /** The first request goes to the first engine. */
  @BeforeEach
  void start() {
    router = router(AccessTokens.NONE);
  }

  private RouterServer router(AccessTokens keys) {
    return new RouterServer(
        List.of(one.url(), two.url()),
        RouterOptions.DEFAULTS.with(RoutingPolicy.ROUND_ROBIN),
        new HttpOptions(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), keys, null, NAMES),
        Duration.ofMillis(50),
        false);
  }

  @AfterEach
  void stop() {
    router.close();
    one.close();
    two.close();
    client.close();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:%d%s".formatted(router.address().getPort(), path)));
  }

  private HttpRequest.Builder completion(String body) {
    return request("/v1/completions")
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body));
  }

  private HttpResponse<String> get(String path) throws Exception {
    return client.send(request(path).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String body) throws Exception {
    return client.send(completion(body).build(), BodyHandlers.ofString());
  }

  private RoutedEngine.Report report(int engine) {
    return router.status().engines().get(engine);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(10);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut", "cut after the status", "cut after blanks", "429", "503"})
  void anotherEngineGetsARequestWhoseAnswerHasNotBegun(String fault) throws Exception {
    one.behaviour =
        (exchange, engine) -> {
          if (fault.matches("\\d+")) {
            FakeEngine.text(exchange, Integer.parseInt(fault), "{\"error\":\"full\"}");
            return;
          }
          if (fault.contains("after")) {
            exchange.sendResponseHeaders(200, 100);
            exchange
                .getResponseBody()
                .write((fault.contains("blanks") ? "  " : "").getBytes(UTF_8));
            exchange.getResponseBody().flush();
          }
          throw new IOException("cut");
        };
    HttpResponse<String> response = post(BODY);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.body()).contains("two");
    assertThat(two.bodies).containsExactly(BODY);
    assertThat(report(1).retries()).isEqualTo(1);
    assertThat(report(0).failures()).isEqualTo(fault.contains("cut") ? 1 : 0);
    assertThat(report(0).running() + report(1).running()).isZero();
  }

  @Test
  void aRefusalOfAllEnginesIsPassedOn() throws Exception {
    one.behaviour = (exchange, engine) -> FakeEngine.text(exchange, 429, "{\"error\":\"one\"}");
    two.behaviour = (exchange, engine) -> FakeEngine.text(exchange, 429, "{\"error\":\"two\"}");
    assertThat(post(BODY))
        .returns(429, HttpResponse::statusCode)
        .returns("{\"error\":\"two\"}", HttpResponse::body);
  }

  @Test
  void aMistakeOfTheClientIsNotRetried() throws Exception {
    one.behaviour = (exchange, engine) -> FakeEngine.text(exchange, 400, "{\"error\":\"bad\"}");
    assertThat(post("{\"prompt\":{}}"))
        .returns(400, HttpResponse::statusCode)
        .returns("{\"error\":\"bad\"}", HttpResponse::body);
    assertThat(two.bodies).isEmpty();
    assertThat(post("{").statusCode()).isEqualTo(400);
  }

  @Test
  void anEngineIsTakenOutAndComesBack() throws Exception {
    one.stop();
    assertThat(post(BODY).body()).contains("two");
    await(() -> report(0).state() == State.DOWN);
    assertThat(post(BODY).body()).contains("two");
    two.stop();
    HttpResponse<String> none = post(BODY);
    assertThat(none.statusCode()).isEqualTo(503);
    assertThat(none.body()).contains("no engine is available", one.url(), two.url(), "refused");
    await(() -> report(1).state() == State.DOWN);
    assertThat(get("/health").statusCode()).isEqualTo(503);
    one.startAgain();
    await(() -> report(0).state() == State.UP);
    assertThat(get("/health/ready").statusCode()).isEqualTo(200);
    assertThat(post(BODY).body()).contains("one");
  }

  @Test
  void anEngineThatIsStoppingGetsNoNewRequests() throws Exception {
    one.health = 503;
    await(() -> report(0).state() == State.STOPPING);
    for (int i = 0; i < 3; i++) {
      assertThat(post(BODY).body()).contains("two");
    }
    assertThat(one.bodies).isEmpty();
    one.health = 500;
    await(() -> report(0).state() == State.DOWN);
    assertThat(get("/status").body()).contains("\"state\":\"down\"", "500");
  }

  @Test
  void aStreamIsPassedOnPieceByPiece() throws Exception {
    one.behaviour =
        (exchange, engine) -> {
          OutputStream out = FakeEngine.stream(exchange, "text/event-stream");
          out.write("data: {\"choices\":[{\"text\":\"a\"}]}\n\n".getBytes(UTF_8));
          out.flush();
          engine.release.await();
          out.write(
              "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4}}\n\ndata: [DONE]\n\n"
                  .getBytes(UTF_8));
          out.close();
        };
    HttpResponse<InputStream> response =
        client.send(completion(STREAM).build(), BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      byte[] first = body.readNBytes(10);
      assertThat(first).asString(UTF_8).isEqualTo("data: {\"ch");
      assertThat(report(0).running()).isEqualTo(1);
      one.release.countDown();
      assertThat(new String(body.readAllBytes(), UTF_8))
          .endsWith("}]}\n\ndata: [DONE]\n\n")
          .doesNotContain("usage");
    }
    await(() -> report(0).running() == 0);
    assertThat(report(0).promptTokens()).isEqualTo(4);
    assertThat(one.bodies.getFirst()).contains("\"include_usage\":true");
  }

  @Test
  void aBrokenStreamEndsWithAnError() throws Exception {
    one.behaviour =
        (exchange, engine) -> {
          OutputStream out = FakeEngine.stream(exchange, "text/event-stream");
          out.write("data: {\"choices\":[{\"text\":\"a\"}]}\n\n".getBytes(UTF_8));
          out.flush();
          engine.stop();
          throw new IOException("cut");
        };
    HttpResponse<String> response = post(STREAM);
    assertThat(response.body()).contains("\"text\":\"a\"", "\"error\"").doesNotContain("[DONE]");
    assertThat(two.bodies).isEmpty();
    await(() -> report(0).state() == State.DOWN);
    await(() -> report(0).running() == 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEngineStopsComputingForAClientThatIsGone(boolean afterTheBeginning) throws Exception {
    one.behaviour =
        (exchange, engine) -> {
          OutputStream out = FakeEngine.stream(exchange, "text/event-stream");
          if (afterTheBeginning) {
            out.write("data: {\"choices\":[]}\n\n".getBytes(UTF_8));
          }
          FakeEngine.untilGone(out, engine);
        };
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), router.address().getPort())) {
      socket
          .getOutputStream()
          .write(
              "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(STREAM.length(), STREAM)
                  .getBytes(UTF_8));
      if (afterTheBeginning) {
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        socket.getInputStream().readNBytes("TTP/1.1 200".length());
      } else {
        await(() -> !one.bodies.isEmpty());
      }
    }
    assertThat(one.clientGone.await(25, TimeUnit.SECONDS)).isTrue();
    await(() -> report(0).running() == 0);
    assertThat(report(0).failures()).isZero();
    assertThat(two.bodies).isEmpty();
  }

  @Test
  void aRequestLeavesAnEngineThatHangs() throws Exception {
    one.behaviour =
        (exchange, engine) -> {
          engine.health = 500;
          engine.release.await();
        };
    assertThat(post(BODY).body()).contains("two");
    assertThat(report(0).failures()).isEqualTo(1);
  }

  @Test
  void keysAreCheckedAndPassedOn() throws Exception {
    try (RouterServer open = router) {
      router = router(new AccessTokens(Map.of("sk-1", "ann")));
      assertThat(post(BODY).statusCode()).isEqualTo(401);
      assertThat(get("/status").statusCode()).isEqualTo(401);
      assertThat(get("/health").statusCode()).isEqualTo(200);
      HttpRequest known = completion(BODY).header("Authorization", "Bearer sk-1").build();
      assertThat(client.send(known, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
      assertThat(one.keys).containsExactly("Bearer sk-1");
      assertThat(open.status().engines()).hasSize(2);
    }
  }

  @Test
  void modelsAndMetricsAreThoseOfAllEngines() throws Exception {
    post(BODY);
    assertThat(get("/v1/models").body()).containsOnlyOnce("\"fake\"");
    assertThat(get("/v1/models/fake").statusCode()).isEqualTo(200);
    assertThat(get("/v1/models/other").statusCode()).isEqualTo(404);
    await(() -> report(0).promptTokens() == 10);
    assertThat(get("/metrics").body())
        .contains(
            "ebb_router_requests_total{engine=\"%s\"} 1.0".formatted(one.url()),
            "ebb_router_prompt_tokens_total{engine=\"%s\"} 10.0".formatted(one.url()),
            "ebb_router_engine_state{engine=\"%s\",state=\"up\"} 1.0".formatted(two.url()));
  }
}
