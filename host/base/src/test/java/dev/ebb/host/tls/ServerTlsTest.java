package dev.ebb.host.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerTlsTest {

  private static final Duration OFTEN = Duration.ofMillis(20);

  @TempDir private static Path shared;

  private static TestCertificate own;
  private static TestCertificate others;

  @TempDir private Path folder;

  @BeforeAll
  static void makeCertificates() {
    own = TestCertificate.of(shared, "server");
    others = TestCertificate.of(shared, "other");
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA", "Ed25519"})
  void aClientThatTrustsTheCertificateConnects(String algorithm) throws IOException {
    TestCertificate server = TestCertificate.of(folder, "server", algorithm);
    try (ServerTls tls = ServerTls.open(files(server, null), "ebb.server.tls")) {
      assertThat(name(tls, trusting(server))).isEqualTo("CN=server");
      assertThat(name(tls, new TlsFiles(null, null, null).clientOf(server.certificate())))
          .isEqualTo("CN=server");
    }
  }

  @Test
  void aClientThatTrustsAnotherCertificateDoesNot() {
    TestCertificate server = own;
    TestCertificate other = others;
    try (ServerTls tls = ServerTls.open(files(server, null), "ebb.server.tls")) {
      assertThatThrownBy(() -> name(tls, trusting(other))).isInstanceOf(IOException.class);
      assertThatThrownBy(
              () -> name(tls, new TlsFiles(null, null, null).clientOf(other.certificate())))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void withAuthoritiesClientsNeedACertificateOfOne() throws IOException {
    TestCertificate server = own;
    TestCertificate client = others;
    TestCertificate stranger = TestCertificate.of(folder, "stranger");
    try (ServerTls tls = ServerTls.open(files(server, client), "ebb.server.tls")) {
      assertThatThrownBy(() -> name(tls, trusting(server))).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> name(tls, files(stranger, server).client()))
          .isInstanceOf(IOException.class);
      assertThat(name(tls, files(client, server).client())).isEqualTo("CN=server");
    }
  }

  @Test
  void aServerIsAClientOfOthersLikeIt() throws IOException {
    TestCertificate stranger = TestCertificate.of(folder, "stranger");
    try (ServerTls first = ServerTls.open(files(own, others), "ebb.cluster.tls");
        ServerTls second = ServerTls.open(files(others, own), "ebb.cluster.tls");
        ServerTls other = ServerTls.open(files(stranger, own), "ebb.cluster.tls")) {
      assertThat(name(first, second.context())).isEqualTo("CN=server");
      assertThat(name(second, first.context())).isEqualTo("CN=other");
      assertThatThrownBy(() -> name(first, other.context())).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aChangedCertificateIsUsedAsAClientToo() throws IOException {
    TestCertificate before = TestCertificate.of(folder, "before");
    TestCertificate next = TestCertificate.of(folder, "next");
    try (ServerTls server = ServerTls.open(files(own, next), "ebb.cluster.tls");
        ServerTls client = ServerTls.open(files(before, own), "ebb.cluster.tls", OFTEN)) {
      assertThatThrownBy(() -> name(server, client.context())).isInstanceOf(IOException.class);
      Files.copy(next.key(), before.key(), StandardCopyOption.REPLACE_EXISTING);
      Files.copy(next.certificate(), before.certificate(), StandardCopyOption.REPLACE_EXISTING);
      Awaiting.until(() -> {
        try {
          return name(server, client.context()).equals("CN=server");
        } catch (IOException previous) {
          return false;
        }
      });
    }
  }

  @Test
  void changedFilesAreUsedAndUnusableOnesAreNot() throws IOException {
    TestCertificate server = TestCertificate.of(folder, "server");
    try (ServerTls tls = ServerTls.open(files(server, null), "ebb.server.tls", OFTEN)) {
      assertThat(name(tls, trusting(server))).isEqualTo("CN=server");
      TestCertificate next = TestCertificate.of(folder, "next");
      Files.copy(next.key(), server.key(), StandardCopyOption.REPLACE_EXISTING);
      Awaiting.pause();
      // The key belongs to another certificate: the previous pair stays in use.
      assertThat(name(tls, trusting(server))).isEqualTo("CN=server");
      Files.copy(next.certificate(), server.certificate(), StandardCopyOption.REPLACE_EXISTING);
      SSLContext trusting = trusting(next);
      Awaiting.until(() -> {
        try {
          return name(tls, trusting).equals("CN=next");
        } catch (IOException previous) {
          return false;
        }
      });
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "certificate|missing|does not exist",
        "certificate|empty|BEGIN CERTIFICATE",
        "certificate|damaged|damaged",
        "certificate|folder|cannot be read",
        "key|missing|does not exist",
        "key|empty|BEGIN PRIVATE KEY",
        "key|damaged|damaged",
        "key|other|does not belong to the certificate",
        "key|pkcs1|openssl pkcs8 -topk8 -nocrypt",
        "client-ca|empty|BEGIN CERTIFICATE",
      })
  void aWrongFileIsNamedWithWhatIsWrong(String which, String what, String message)
      throws IOException {
    TestCertificate server = own;
    Path wrong = folder.resolve("wrong.pem");
    switch (what) {
      case "empty" -> Files.writeString(wrong, "nothing");
      case "folder" -> Files.createDirectory(wrong);
      case "other" -> Files.copy(others.key(), wrong);
      case "pkcs1" ->
          Files.writeString(
              wrong,
              """
              -----BEGIN RSA PRIVATE KEY-----
              Proc-Type: 4,ENCRYPTED

              AAAA
              -----END RSA PRIVATE KEY-----
              """);
      case "damaged" -> {
        String type = which.equals("key") ? "PRIVATE KEY" : "CERTIFICATE";
        Files.writeString(
            wrong, "-----BEGIN %s-----\nAAAA\n-----END %s-----\n".formatted(type, type));
      }
      default -> {}
    }
    TlsFiles files =
        new TlsFiles(
            which.equals("certificate") ? wrong : server.certificate(),
            which.equals("key") ? wrong : server.key(),
            which.equals("client-ca") ? wrong : null);

    assertThatThrownBy(() -> ServerTls.open(files, "ebb.server.tls").close())
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith("ebb.server.tls: ")
        .hasMessageContaining("'" + wrong + "'")
        .hasMessageContaining(message);
    assertThatThrownBy(() -> files.check("ebb.server.tls")).isInstanceOf(UserError.class);
  }

  @Test
  void rightFilesPassTheCheck() {
    TestCertificate server = own;
    assertThatCode(() -> files(server, server).check("ebb.server.tls")).doesNotThrowAnyException();
  }

  private static TlsFiles files(TestCertificate own, @Nullable TestCertificate trusted) {
    return new TlsFiles(
        own.certificate(), own.key(), trusted == null ? null : trusted.certificate());
  }

  private static SSLContext trusting(TestCertificate server) {
    return new TlsFiles(null, null, server.certificate()).client();
  }

  /** Returns the name in the certificate that a client gets, once a byte went both ways. */
  private static String name(ServerTls tls, SSLContext client) throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (SSLServerSocket listening =
        (SSLServerSocket) tls.context().getServerSocketFactory().createServerSocket(0, 1, here)) {
      listening.setNeedClientAuth(tls.needsClientCertificate());
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(() -> {
            try (SSLSocket accepted = (SSLSocket) listening.accept()) {
              accepted.getOutputStream().write(accepted.getInputStream().read());
            } catch (IOException refused) {
              // The client reports it.
            }
          });
      try (SSLSocket socket =
          (SSLSocket)
              client.getSocketFactory().createSocket("127.0.0.1", listening.getLocalPort())) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.getOutputStream().write(7);
        if (socket.getInputStream().read() != 7) {
          throw new IOException("refused");
        }
        X509Certificate certificate =
            (X509Certificate) socket.getSession().getPeerCertificates()[0];
        return certificate.getSubjectX500Principal().getName();
      } finally {
        served.join();
      }
    }
  }
}
