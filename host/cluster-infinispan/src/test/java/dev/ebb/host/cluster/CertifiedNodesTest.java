package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import dev.ebb.host.testing.TestAuthority;
import dev.ebb.host.testing.TestCertificate;
import dev.ebb.host.tls.TlsFiles;
import dev.ebb.host.transfer.TransferClient;
import dev.ebb.host.transfer.TransferException;
import dev.ebb.host.transfer.TransferOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two nodes with certificates, and no secret. */
@Execution(ExecutionMode.CONCURRENT)
class CertifiedNodesTest {

  @TempDir private Path home;
  private TestCertificate first;
  private TestCertificate second;
  private Path trust;
  private int seed;

  @BeforeEach
  void makeCertificates() {
    seed = FreePort.any();
    TestAuthority authority = new TestAuthority(home, "authority");
    first = authority.issue("first");
    second = authority.issue("second");
    trust = authority.certificate();
  }

  private TestNode join(String name, int port, TestCertificate certificate, Path authorities) {
    String settings =
        "tls { certificate = \"%s\", key = \"%s\", trust = \"%s\" }"
            .formatted(certificate.certificate(), certificate.key(), authorities);
    return TestNode.join(home, name, "rack-" + name, seed, port, 16 << 20, settings);
  }

  @Test
  void nodesOfOneAuthorityReadEachOthersValues() {
    byte[] value = new byte[3 << 20];
    new Random(1).nextBytes(value);
    try (TestNode a = join("a", seed, first, trust);
        TestNode b = join("b", FreePort.any(), second, trust)) {
      Awaiting.until(() -> a.node.nodes().size() == 2 && b.node.nodes().size() == 2);
      assertThat(a.node.self().settings()).contains("tls.values = true");
      a.set("key", value);
      Awaiting.until(() -> b.get("key") != null);
      assertThat(b.get("key")).isEqualTo(value);
    }
  }

  @Test
  void aNodeOfAnotherAuthorityIsRefused() throws Exception {
    TestCertificate stranger = TestCertificate.of(home, "stranger");
    Path all =
        Files.writeString(
            home.resolve("all.crt"),
            Files.readString(trust) + Files.readString(stranger.certificate()));
    try (TestNode a = join("a", seed, first, trust)) {
      assertThatExceptionOfType(UserError.class)
          .isThrownBy(() -> join("c", FreePort.any(), stranger, all))
          .withMessageContainingAll("'127.0.0.1:%d'".formatted(seed), "ebb.cluster.tls");
      assertThat(a.node.nodes()).hasSize(1);
      int port = a.node.self().transferPort();
      refuses(port, new TlsFiles(stranger.certificate(), stranger.key(), all));
      refuses(port, new TlsFiles(null, null, all));
    }
  }

  /** Values are not sent to a client without a trusted certificate. */
  private static void refuses(int port, TlsFiles files) throws Exception {
    byte[] proof = "ebb\n".getBytes(StandardCharsets.UTF_8);
    try (TransferClient client =
        new TransferClient(TransferOptions.of(proof).withTls(files.client()))) {
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() ->
              client.call(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                  new byte[1],
                  Duration.ofSeconds(3)));
    }
  }

  @Test
  void filesThatCannotBeUsedAreRefused() {
    assertThatExceptionOfType(UserError.class)
        .isThrownBy(
            () -> join("a", seed, new TestCertificate(first.certificate(), second.key()), trust))
        .withMessageContainingAll("ebb.cluster.tls", "second.key", "does not belong");
    assertThatExceptionOfType(UserError.class)
        .isThrownBy(() -> join("a", seed, first, home.resolve("missing")))
        .withMessageContainingAll("ebb.cluster.tls", "missing", "does not exist");
  }
}
