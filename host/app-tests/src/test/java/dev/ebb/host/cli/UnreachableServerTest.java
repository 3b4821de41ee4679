package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.ebb.host.config.Configs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the messages for a server that does not exist, or is not Ebb. */
class UnreachableServerTest {

  @TempDir private Path home;

  @Test
  void theServerDoesNotListen() throws IOException {
    int port = freePort();

    assertFailed(
        Run.of("stats", "--url", "http://127.0.0.1:" + port),
        "ebb: no Ebb listens at 'http://127.0.0.1:%d'; start one with 'ebb serve', or say with --url where it is"
            .formatted(port));
  }

  @Test
  void aHostThatDoesNotExist() {
    assertFailed(
        Run.of("stats", "--url", "http://ebb.invalid:9090"),
        "ebb: no such host 'ebb.invalid'; say with --url where Ebb is");
  }

  @Test
  void theConfigurationSaysWhereToAsk() throws IOException {
    int port = freePort();
    Path file = Configs.file(home, "ebb.admin { bind = \"0.0.0.0\", port = " + port + " }");

    assertThat(Run.of("stats", "--config", file.toString()).err())
        .contains("no Ebb listens at 'http://127.0.0.1:" + port + "'");
  }

  @Test
  void portZeroNeedsTheAddress() {
    Path file = Configs.file(home, "ebb.admin.port = 0");

    assertFailed(
        Run.of("stats", "--config", file.toString()),
        "ebb: ebb.admin.port = '0' means any free port; use --url with the address that 'ebb serve' printed");
  }

  @Test
  void aServerWithoutEncryptionIsNotWaitedFor() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      String https = ebb.url().replace("http:", "https:");
      assertFailed(
          Run.of("stats", "--url", https, "--timeout", "3600"),
          "ebb: '%s' speaks http, not https; write --url %s".formatted(https, ebb.url()));
    }
  }

  @Test
  void aTokenIsWanted() {
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.admin.token = s3cret")) {
      assertFailed(
          ebb.run("stats"),
          "ebb: '%s' wants a token; set EBB_ADMIN_TOKEN, or give --token".formatted(ebb.url()));
      assertFailed(
          ebb.run("stats", "--token", "wrong"),
          "ebb: '%s' does not take this token; ebb.admin.token of its configuration is the right one"
              .formatted(ebb.url()));
      assertFailed(
          ebb.run("stats", "--token", "zwei Wörter"),
          "ebb: the token holds a space or a character beyond ASCII, which no server takes; check"
              + " EBB_ADMIN_TOKEN, --token or ebb.admin.token");
      assertThat(ebb.run("stats", "--token", "s3cret").exitCode()).isZero();
    }
  }

  @Test
  void theConfiguredTokenIsForTheConfiguredServerOnly() {
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.admin.token = s3cret")) {
      int port = Integer.parseInt(ebb.url().replaceFirst(".*:", ""));
      String file =
          Configs.file(home, "ebb.admin { token = s3cret, port = %d }".formatted(port)).toString();

      assertThat(Run.of("stats", "--config", file).exitCode()).isZero();
      assertThat(ebb.run("stats", "--config", file).err()).contains("wants a token");
    }
  }

  @Test
  void somethingElseListens() throws IOException {
    withServer(
        200,
        "<html>hello</html>",
        url ->
            assertFailed(
                Run.of("stats", "--url", url),
                "ebb: what listens at '%s' is not the admin port of an Ebb: it answered GET /api/v1/stats with status 200 and no JSON; start one with 'ebb serve', or say with --url where it is"
                    .formatted(url)));
  }

  @Test
  void anEbbOfAnotherVersionDoesNotKnowTheCall() throws IOException {
    withServer(
        404,
        "{\"error\": \"no such path '/api/v1/stats'; see docs/admin.md\"}",
        url ->
            assertFailed(
                Run.of("stats", "--url", url),
                "ebb: the Ebb at '%s' does not know GET /api/v1/stats: it is of another version than this command, or serves something else"
                    .formatted(url)));
  }

  @Test
  void aDocumentThatLacksSomethingIsOfAnotherVersion() throws IOException {
    withServer(
        200,
        "{\"file\": [], \"folder\": \"p\", \"news\": [1], \"plugins\": []}",
        url -> {
          Run run = Run.of("plugins", "list", "--url", url);
          assertThat(run.exitCode()).isEqualTo(1);
          assertThat(run.err()).contains(url, "of another version", "'spi'");
          assertThat(Run.of("plugins", "list", "--json", "--url", url).out()).contains("news");
        });
    withServer(
        200,
        "{\"server\": {\"version\": \"9.9.9\"}, \"news\": [1]}",
        url -> assertThat(Run.of("stats", "--url", url).err()).contains("of another version"));
  }

  @Test
  void whatOnlyANewerServerReportsIsIgnored() throws IOException {
    withServer(
        200,
        "{\"folder\": \"p\", \"news\": [1], \"spi\": \"9.9\", \"plugins\": []}",
        url ->
            assertThat(Run.of("plugins", "list", "--url", url).out())
                .contains("no plugins in 'p'"));
  }

  @Test
  void aServerThatSaysNothingIsNotWaitedForForEver() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();

      assertFailed(
          Run.of("stats", "--timeout", "1", "--url", url),
          "ebb: '%s' did not answer within 1 s; give it longer with --timeout".formatted(url));
    }
  }

  @Test
  void aConnectionThatBreaksIsReported() throws Exception {
    try (ServerSocket rude = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> closeEveryConnection(rude));
      String url = "http://127.0.0.1:" + rude.getLocalPort();
      assertFailed(
          Run.of("stats", "--url", url),
          "ebb: the connection to '%s' broke; does it still run, and is it Ebb's admin port? If it uses TLS, write https"
              .formatted(url));
    }
  }

  private static void closeEveryConnection(ServerSocket socket) {
    try {
      while (true) {
        socket.accept().close();
      }
    } catch (IOException over) {
      // The test has ended.
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "9090",
        "127.0.0.1:9090",
        "ftp://127.0.0.1",
        "http://",
        "http://a b",
        "http://u@host",
        "http://host?x=1",
        "http://host:99999",
      })
  void aWrongUrlIsWrongUsage(String url) {
    Run run = Run.of("stats", "--url", url);

    assertThat(run.err())
        .startsWith(
            "ebb stats: --url: '%s' is not the address of a server; write it as http://127.0.0.1:9090"
                .formatted(url));
    assertThat(run.exitCode()).isEqualTo(2);
  }

  private interface Check {
    void check(String url);
  }

  /** A server of the web that is no Ebb. */
  private static void withServer(int status, String body, Check check) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    try {
      check.check("http://127.0.0.1:" + server.getAddress().getPort());
    } finally {
      server.stop(0);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static void assertFailed(Run run, String message) {
    assertThat(run.err()).isEqualToIgnoringNewLines(message);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
  }
}
