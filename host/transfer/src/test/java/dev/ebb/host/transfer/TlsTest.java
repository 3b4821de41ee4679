package dev.ebb.host.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.TestCertificate;
import dev.ebb.host.tls.TlsFiles;
import dev.ebb.host.transfer.FaultyProxy.Fault;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {

  private static SSLContext tls;

  @BeforeAll
  static void createCertificate(@TempDir Path folder) {
    TestCertificate own = TestCertificate.of(folder, "node");
    tls = new TlsFiles(own.certificate(), own.key(), own.certificate()).client();
  }

  @Test
  void transfersValuesAndMessages() throws Exception {
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTls(tls))) {
      SentValues.Sent sent = node.values.put("key", 7, 6_000_000);
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
