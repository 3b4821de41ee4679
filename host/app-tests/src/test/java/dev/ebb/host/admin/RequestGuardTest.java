package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may call. */
class RequestGuardTest {

  @TempDir private Path home;

  private static final String TOKEN = "ebb.admin.token = \"open-sesame\"\n";

  @Test
  void withoutTheTokenOnlyHealthIsReported() {
    try (AdminProcess process = AdminProcess.start(home, TOKEN)) {
      Answer refused = process.get("/api/v1/stats");
      assertThat(refused.status()).isEqualTo(401);
      assertThat(refused.error()).contains("Authorization: Bearer");
      assertThat(refused.response().headers().firstValue("WWW-Authenticate")).contains("Bearer");
      assertThat(process.get("/metrics").status()).isEqualTo(401);
      assertThat(process.get("/health/live").status()).isEqualTo(200);
      assertThat(process.get("/health/ready").status()).isEqualTo(200);
    }
  }

  @Test
  void withTheTokenEverythingIsReported() {
    try (AdminProcess process = AdminProcess.start(home, TOKEN)) {
      assertThat(authorized(process, "Bearer open-sesame")).isEqualTo(200);
      assertThat(authorized(process, "bearer open-sesame")).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer open",
        "Bearer",
        "open-sesame",
        "Basic open-sesame",
        "Bearer open-sesame2"
      })
  void anyOtherTokenIsRefused(String authorization) {
    try (AdminProcess process = AdminProcess.start(home, TOKEN)) {
      assertThat(authorized(process, authorization)).isEqualTo(401);
    }
  }

  private static int authorized(AdminProcess process, String authorization) {
    return process
        .send(process.request("/api/v1/stats").header("Authorization", authorization).GET())
        .status();
  }

  @Test
  void guessesOfATokenAreLimited() {
    try (AdminProcess process = AdminProcess.start(home, TOKEN)) {
      int guesses = 0;
      while (authorized(process, "Bearer guess" + guesses) == 401 && guesses < 10_000) {
        guesses++;
      }
      assertThat(guesses).isBetween(10, 9_999);
      assertThat(process.get("/health/live").status()).isEqualTo(200);
    }
  }

  @Test
  void idleConnectionsDoNotLockOperatorsOut() throws IOException {
    List<Socket> idle = new ArrayList<>();
    try (AdminProcess process = AdminProcess.start(home, "")) {
      for (int i = 0; i < 300; i++) {
        idle.add(new Socket(process.address().getAddress(), process.address().getPort()));
      }
      assertThat(process.get("/health/live").status()).isEqualTo(200);
    } finally {
      for (Socket each : idle) {
        each.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:9090",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "",
        "@",
        "x@127.0.0.1",
        "127.0.0.1/x",
        "127.0.0.1?x"
      })
  void aNameThatWasPointedHereIsRefused(String name) throws IOException {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      assertThat(process.raw(getWithHost(name)))
          .startsWith("HTTP/1.1 403")
          .contains("{\"error\":\"the host '" + name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:9090", "127.0.0.1", "127.0.0.2:80", "[::1]:9090"})
  void thisMachinesNamesAreFine(String name) throws IOException {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      assertThat(process.raw(getWithHost(name))).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void withATokenTheNameDoesNotMatter() throws IOException {
    try (AdminProcess process = AdminProcess.start(home, TOKEN)) {
      assertThat(process.raw(getWithHost("cache.example"))).startsWith("HTTP/1.1 200");
    }
  }

  private static String getWithHost(String name) {
    return "GET /health/live HTTP/1.1\r\nHost: " + name + "\r\nConnection: close\r\n\r\n";
  }

  @Test
  void pagesOfElsewhereAreRefused() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      String own = "http://127.0.0.1:" + process.address().getPort();
      assertThat(withOrigin(process, own)).isEqualTo(200);
      assertThat(withOrigin(process, "http://evil.example")).isEqualTo(403);
      assertThat(withOrigin(process, "http://127.0.0.1:1")).isEqualTo(403);
      assertThat(withOrigin(process, "null")).isEqualTo(403);
    }
  }

  private static int withOrigin(AdminProcess process, String origin) {
    return process.send(process.request("/api/v1/stats").header("Origin", origin).GET()).status();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site"})
  void imagesOfOtherSitesStartNoRecording(String site) {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      assertThat(withSite(process, "/api/v1/recording", site).status()).isEqualTo(403);
      assertThat(withSite(process, "/api/v1/stats", site).error()).contains("'" + site + "'");
      assertThat(withSite(process, "/", site).status()).isEqualTo(200);
      assertThat(withSite(process, "/api/v1/stats", "same-origin").status()).isEqualTo(200);
      assertThat(withSite(process, "/api/v1/stats", "none").status()).isEqualTo(200);
    }
  }

  private static Answer withSite(AdminProcess process, String path, String site) {
    return process.send(process.request(path).header("Sec-Fetch-Site", site).GET());
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"})
  void whatAFormCanSendChangesNothing(String type) {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      Answer answer =
          process.send(
              process
                  .request("/api/v1/policy")
                  .header("Content-Type", type)
                  .PUT(HttpRequest.BodyPublishers.ofString("{\"policy\": \"second\"}")));
      assertThat(answer.status()).isEqualTo(415);
      assertThat(answer.error()).contains("'" + type + "' must be application/json");
      assertThat(process.serving().policy()).isEqualTo("first");
    }
  }

  @Test
  void otherMachinesNeedAToken() {
    assertThatThrownBy(() -> AdminProcess.start(home, "ebb.admin.bind = 0.0.0.0").close())
        .isInstanceOf(UserError.class)
        .hasMessageContaining("ebb.admin.bind = '0.0.0.0'")
        .hasMessageContaining("ebb.admin.token");
    AdminProcess.start(home, "ebb.admin.bind = 0.0.0.0\n" + TOKEN).close();
  }

  @Test
  void aPortInUseIsReportedInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () -> AdminProcess.start(home, "ebb.admin.port = " + taken.getLocalPort()).close())
          .isInstanceOf(UserError.class)
          .hasMessageStartingWith("cannot listen on '127.0.0.1:" + taken.getLocalPort() + "'")
          .hasMessageEndingWith("--admin-port");
    }
  }

  @Test
  void theAdminServerIsOptional() {
    try (AdminProcess process = AdminProcess.start(home, "ebb.admin.enabled = false")) {
      assertThat(process.serving().adminAddress()).isNull();
    }
  }
}
