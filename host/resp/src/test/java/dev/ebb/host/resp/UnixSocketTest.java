package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.resp.net.Transport;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The server on a Unix domain socket, beside its TCP port. */
class UnixSocketTest {

  private static final long POOL = 16 << 20;

  @TempDir private Path folder;
  private Path socket = Path.of("");

  @BeforeEach
  void name() {
    socket = folder.resolve("ebb.sock");
  }

  static Stream<Transport> transports() {
    return Stream.of(Transport.best(), Transport.nio());
  }

  @ParameterizedTest
  @MethodSource("transports")
  void servesTheSameValuesAsOverTcp(Transport transport) throws IOException {
    String value = "v".repeat(3_000_000);
    try (RunningServer server = RunningServer.of(POOL, socket, null, transport);
        RawClient tcp = new RawClient(server.port());
        RawClient unix = new RawClient(socket)) {
      assertThat(unix.call("SET", "k", value)).isEqualTo("+OK\r\n");
      assertThat(tcp.call("GET", "k")).isEqualTo("$3000000\r\n" + value + "\r\n");
      assertThat(unix.call("GET", "k")).isEqualTo("$3000000\r\n" + value + "\r\n");
      assertThat(unix.call("CLIENT", "LIST"))
          .contains(" addr=" + socket + ":0 laddr=" + socket + ":0 ");
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void onlyItsUserMayConnect() throws IOException {
    try (RunningServer server = RunningServer.of(POOL, socket, null, Transport.best())) {
      assertThat(server.server().stats().accepting()).isTrue();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
          .isEqualTo("rw-------");
      try (Stream<Path> all = Files.list(folder)) {
        assertThat(all).containsExactly(socket);
      }
    }
  }

  @Test
  void wantsThePasswordAsOverTcp() throws IOException {
    try (RunningServer server = RunningServer.of(POOL, socket, "secret", Transport.best());
        RawClient unix = new RawClient(socket)) {
      assertThat(server.port()).isPositive();
      assertThat(unix.call("GET", "k")).startsWith("-NOAUTH");
      assertThat(unix.call("AUTH", "secret")).isEqualTo("+OK\r\n");
      assertThat(unix.call("GET", "k")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void replacesTheSocketOfADeadServer() throws IOException {
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(socket));
    }
    assertThat(Files.exists(socket)).isTrue();
    try (RunningServer server = RunningServer.of(POOL, socket, null, Transport.best());
        RawClient unix = new RawClient(socket)) {
      assertThat(server.port()).isPositive();
      assertThat(unix.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void leavesTheSocketOfALiveServerToIt() throws IOException {
    try (RunningServer server = RunningServer.of(POOL, socket, null, Transport.best());
        RawClient unix = new RawClient(socket)) {
      assertThat(server.port()).isPositive();
      assertRefused(socket, "another server");
      assertThat(unix.call("PING")).isEqualTo("+PONG\r\n");
      try (RawClient second = new RawClient(socket)) {
        assertThat(second.call("PING")).isEqualTo("+PONG\r\n");
      }
    }
  }

  @Test
  void refusesPathsThatCannotBeASocket() throws IOException {
    Files.writeString(socket, "text");
    assertRefused(socket, "not a socket");
    assertThat(Files.readString(socket)).isEqualTo("text");
    assertRefused(folder.resolve("n".repeat(120)), "too long");
    assertRefused(folder.resolve("missing").resolve("ebb.sock"), "folder");
  }

  @Test
  void drainingRemovesTheSocketAndClosesItsConnections() throws IOException {
    try (RunningServer server = RunningServer.of(POOL, socket, null, Transport.best());
        RawClient unix = new RawClient(socket)) {
      assertThat(unix.call("PING")).isEqualTo("+PONG\r\n");
      server.server().drain(Duration.ofSeconds(20));
      assertThat(unix.closed()).isTrue();
      assertThat(Files.exists(socket, LinkOption.NOFOLLOW_LINKS)).isFalse();
    }
  }

  private static void assertRefused(Path path, String what) {
    try (RunningServer server = RunningServer.of(POOL)) {
      RespOptions options =
          RunningServer.options(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), path);
      assertThatThrownBy(() ->
              RespServer.start(server.store(), RemoteValues.NONE, RequestRouter.NONE, options))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("ebb.server.unix-socket = '" + path + "'")
          .hasMessageContaining(what);
    }
  }
}
