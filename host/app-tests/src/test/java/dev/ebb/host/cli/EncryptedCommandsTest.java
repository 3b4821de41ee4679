package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The commands, with servers that need TLS. */
class EncryptedCommandsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private static Path shared;
  private static TestCertificate server;
  private static TestCertificate client;

  @TempDir private Path home;

  @BeforeAll
  static void makeCertificates() {
    server = TestCertificate.of(shared, "server");
    client = TestCertificate.of(shared, "client");
  }

  private static String tls(String section) {
    return "ebb.%s.tls { certificate = \"%s\", key = \"%s\" }\n"
        .formatted(section, server.certificate(), server.key());
  }

  @Test
  void theAdminServerIsReachedWithItsAuthority() {
    try (RunningEbb ebb = RunningEbb.start(home, tls("admin"))) {
      assertThat(ebb.url()).startsWith("https:");
      Run run = ebb.run("stats", "--cacert", server.certificate().toString());
      assertThat(run.err()).isEmpty();
      assertThat(run.out()).containsPattern("Ebb \\S+ at \\Q" + ebb.url() + "\\E");

      assertThat(ebb.run("stats").err())
          .contains("no TLS connection to '" + ebb.url() + "'")
          .contains("--cacert");
      assertThat(ebb.run("stats", "--cacert", client.certificate().toString()).err())
          .contains("no TLS connection to '" + ebb.url() + "'");
      assertThat(ebb.run("stats", "--cacert", "missing.pem").err())
          .contains("'missing.pem' does not exist");
      String plain = ebb.url().replace("https:", "http:");
      assertThat(Run.of("stats", "--url", plain).err()).contains("'" + plain + "'", "https");
    }
  }

  @Test
  void theConfiguredServerIsTrustedByItsCertificate() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String settings = tls("admin") + "ebb.admin.port = " + port + "\n";
    try (RunningEbb ebb = RunningEbb.start(home, settings)) {
      Run run = Run.of("stats", "--config", home.resolve("ebb.conf").toString());
      assertThat(run.err()).isEmpty();
      assertThat(run.out()).contains(ebb.url());
    }
  }

  @Test
  void anAdminServerWithAuthoritiesNeedsACertificate() {
    String settings =
        tls("admin") + "ebb.admin.tls.client-ca = \"%s\"\n".formatted(client.certificate());
    try (RunningEbb ebb = RunningEbb.start(home, settings)) {
      String trusted = server.certificate().toString();
      assertThat(ebb.run("stats", "--cacert", trusted).exitCode()).isNotZero();
      Run run =
          ebb.run(
              "stats",
              "--cacert",
              trusted,
              "--cert",
              client.certificate().toString(),
              "--key",
              client.key().toString());
      assertThat(run.err()).isEmpty();
      assertThat(ebb.run("stats", "--cert", trusted).err()).contains("--cert and --key");
    }
  }

  @Test
  void valuesAreSavedFromAndLoadedToAServerWithTls() throws IOException {
    Path file = home.resolve("value.seg");
    try (RunningEbb plain = RunningEbb.start(Files.createDirectory(home.resolve("plain")))) {
      plain.put("k", 300_000);
      assertThat(
              Run.of("segment", "save", "k", file.toString(), "--port", "" + plain.port())
                  .exitCode())
          .isZero();
    }
    Path folder = Files.createDirectory(home.resolve("encrypted"));
    try (RunningEbb ebb = RunningEbb.start(folder, tls("server"))) {
      String[] tls = {"--port", "" + ebb.port(), "--tls", "--cacert", "" + server.certificate()};
      assertThat(run(tls, "segment", "load", file.toString(), "k").err()).isEmpty();
      Path back = home.resolve("back.seg");
      assertThat(run(tls, "segment", "save", "k", back.toString()).err()).isEmpty();
      assertThat(back).hasSameBinaryContentAs(file);

      assertThat(Run.of("segment", "save", "k", back + "2", "--port", "" + ebb.port()).exitCode())
          .isNotZero();
      assertThat(
              Run.of("segment", "save", "k", back + "2", "--tls", "--port", "" + ebb.port()).err())
          .contains("no TLS connection to '127.0.0.1:" + ebb.port() + "'", "--cacert");
      assertThat(Run.of("segment", "save", "k", back + "2", "--cacert", "x").err())
          .contains("add --tls");
    }
  }

  @Test
  void theConfiguredServerIsLoadedWithItsCertificate() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String settings = tls("server") + "ebb.server.port = " + port + "\n";
    try (RunningEbb ebb = RunningEbb.start(home, settings)) {
      Run run =
          Run.of(
              "bench",
              "--requests",
              "100",
              "--warm-up",
              "0s",
              "--keys",
              "10",
              "--config",
              home.resolve("ebb.conf").toString());
      assertThat(run.err()).isEmpty();
      assertThat(run.out()).contains("127.0.0.1:" + ebb.port());
    }
  }

  @Test
  void aServerWithTlsIsLoaded() {
    try (RunningEbb ebb = RunningEbb.start(home, tls("server") + tls("admin"))) {
      String[] tls = {"--port", "" + ebb.port(), "--tls", "--cacert", "" + server.certificate()};
      String[] load = {
        "bench", "--fill", "--verify", "--keys", "40", "--value-size", "100 B:3,300 KiB:1",
        "--pipeline", "4", "--requests", "600", "--warm-up", "0s", "--json"
      };
      Run run = run(tls, load);
      assertThat(run.exitCode()).as(run.err()).isZero();
      JsonNode result = JSON.readTree(run.out());
      assertThat(result.at("/requests").longValue()).isGreaterThanOrEqualTo(600);
      assertThat(result.at("/hits").longValue()).isPositive();
      assertThat(result.at("/wrong").longValue()).isZero();

      assertThat(run(new String[] {"--port", "" + ebb.port(), "--tls"}, "bench").err())
          .contains("no TLS connection to '127.0.0.1:" + ebb.port() + "'", "--cacert");
      assertThat(run(tls, "bench", "--policies", "lru,fifo", "--admin-url", ebb.url()).err())
          .contains("no policy named 'lru'");
    }
  }

  private static Run run(String[] options, String... command) {
    String[] all = new String[command.length + options.length];
    System.arraycopy(command, 0, all, 0, command.length);
    System.arraycopy(options, 0, all, command.length, options.length);
    return Run.of(all);
  }

  @Test
  void theConfigurationIsCheckedWithItsFiles() throws IOException {
    Path wrong = Files.writeString(home.resolve("wrong.pem"), "nothing");
    Path file =
        Files.writeString(
            home.resolve("ebb.conf"),
            tls("server").replace(server.key().toString(), wrong.toString())
                + "ebb.admin.tls.key = \"%s\"\n".formatted(server.key()));
    Run run = Run.of("config", "check", "--config", file.toString());
    assertThat(run.exitCode()).isNotZero();
    assertThat(run.out() + run.err())
        .contains("'" + wrong + "' has no private key")
        .contains("ebb.admin.tls.key")
        .contains("needs ebb.admin.tls.certificate");
  }
}
