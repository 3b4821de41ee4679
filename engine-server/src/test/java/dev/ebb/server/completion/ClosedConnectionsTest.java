package dev.ebb.server.completion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClosedConnectionsTest {

  @ParameterizedTest
  @CsvSource({"127.0.0.1, false", "127.0.0.1, true", "::1, false"})
  void aConnectionCountsUntilItsClientClosesIt(String host, boolean reset) throws Exception {
    Assumptions.assumeTrue(Files.isReadable(Path.of("/proc/net/tcp")));
    ClosedConnections closed = new ClosedConnections();
    try (ServerSocket listening = listen(host);
        Socket accepted = disconnected(closed, listening, reset)) {
      Awaiting.until(() ->
          closed.contains(
              (InetSocketAddress) accepted.getLocalSocketAddress(),
              (InetSocketAddress) accepted.getRemoteSocketAddress()));
    }
  }

  private static Socket disconnected(
      ClosedConnections closed, ServerSocket listening, boolean reset) throws IOException {
    try (Socket client = new Socket(listening.getInetAddress(), listening.getLocalPort())) {
      Socket accepted = listening.accept();
      assertThat(
              closed.contains(
                  (InetSocketAddress) accepted.getLocalSocketAddress(),
                  (InetSocketAddress) accepted.getRemoteSocketAddress()))
          .isFalse();
      if (reset) {
        client.setSoLinger(true, 0);
      }
      return accepted;
    }
  }

  private static ServerSocket listen(String host) {
    try {
      return new ServerSocket(0, 1, InetAddress.getByName(host));
    } catch (IOException withoutIpv6) {
      return Assumptions.abort(String.valueOf(withoutIpv6.getMessage()));
    }
  }

  @Test
  void withoutATableAllConnectionsCountAsOpen(@TempDir Path folder) throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    assertThat(new ClosedConnections(List.of(folder.resolve("none"))).contains(any, any)).isFalse();
    Path other = Files.writeString(folder.resolve("other"), "head\nnot a table\n");
    assertThat(new ClosedConnections(List.of(other)).contains(any, any)).isFalse();
  }
}
