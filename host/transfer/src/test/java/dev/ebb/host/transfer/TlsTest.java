package dev.ebb.host.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.transfer.FaultyProxy.Fault;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {

  private static final String PASSWORD = "changeit";

  private static SSLContext tls;

  @BeforeAll
  static void createCertificate(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("node.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD,
                "-keyalg",
                "EC",
                "-dname",
                "CN=node",
                "-alias",
                "node")
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    tls = SSLContext.getInstance("TLSv1.3");
    tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
  }

  @Test
  void transfersValuesAndMessages() throws Exception {
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTls(tls))) {
      SentValues.Sent sent = node.values.put("key", 7, 20_000_000);
      ReceivedValue received = new ReceivedValue();
      byte[] message = new byte[100_000];

      assertThat(node.fetch("key", TransferNode.READ, received).complete()).isTrue();
      assertThat(received.bytes).isEqualTo(sent.bytes());
      assertThat(node.client.call(node.address(), message, Duration.ofSeconds(30)))
          .isEqualTo(message);
      Awaiting.until(() -> node.server.counters.messages.sum() == 1);
    }
  }

  @Test
  void continuesAfterACut() throws Exception {
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTls(tls));
        FaultyProxy proxy =
            new FaultyProxy(
                node.address(),
                Fault.NONE,
                (before, bytes, count) ->
                    before < 5_000_000 && before + count >= 5_000_000 ? 0 : count)) {
      SentValues.Sent sent = node.values.put("key", 7, 8_000_000);
      ReceivedValue received = new ReceivedValue();

      FetchResult result =
          node.client.fetch(
              proxy.address(), TransferNode.bytes("key"), TransferNode.READ, received);

      assertThat(result.complete()).isTrue();
      assertThat(result.retries()).isEqualTo(1);
      assertThat(received.bytes).isEqualTo(sent.bytes());
    }
  }

  @Test
  void noticesAClosedServer() throws Exception {
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTls(tls))) {
      byte[] message = {1};
      assertThat(node.client.call(node.address(), message, Duration.ofSeconds(30)))
          .isEqualTo(message);
      node.server.close();
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> node.client.call(node.address(), message, Duration.ofSeconds(30)))
          .withMessageContaining(node.address().toString());
    }
  }

  @Test
  void refusesAPeerWithoutTls() throws Exception {
    try (TransferNode node =
            new TransferNode(TransferNode.OPTIONS.withTls(tls).withTimes(TransferNode.SHORT));
        TransferClient plain =
            new TransferClient(TransferNode.OPTIONS.withTimes(TransferNode.SHORT))) {
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> plain.call(node.address(), new byte[1], Duration.ofSeconds(30)))
          .withMessageContaining(node.address().toString());
    }
    try (TransferNode node = new TransferNode();
        TransferClient encrypting = new TransferClient(TransferNode.OPTIONS.withTls(tls))) {
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> encrypting.call(node.address(), new byte[1], Duration.ofSeconds(30)))
          .withMessageContaining(node.address().toString());
      Awaiting.until(() -> node.server.counters.notAccepted.sum() == 1);
    }
  }
}
