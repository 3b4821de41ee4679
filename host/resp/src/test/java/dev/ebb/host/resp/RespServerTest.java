package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RequestRouter;
import dev.ebb.host.testing.Awaiting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RespServerTest {

  private static final long POOL = 16 << 20;

  @Test
  void whatLmcacheSendsThroughRedisPyIsUnderstood() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("HELLO", "3"))
          .startsWith("%7\r\n$6\r\nserver\r\n")
          .contains("$5\r\nproto\r\n:3\r\n", "$4\r\nrole\r\n$6\r\nmaster\r\n")
          .contains("$7\r\nmodules\r\n*1\r\n%4\r\n$4\r\nname\r\n$3\r\nebb\r\n");
      assertThat(client.call("CLIENT", "MAINT_NOTIFICATIONS", "ON")).isEqualTo("+OK\r\n");
      assertThat(client.call("CLIENT", "SETINFO", "LIB-NAME", "redis-py")).isEqualTo("+OK\r\n");
      assertThat(client.call("CLIENT", "SETINFO", "LIB-VER", "7.0.1")).isEqualTo("+OK\r\n");
      String key = "llama@1@0@a1b2c3@bf16";
      String chunk = "k".repeat(300_000);
      String metadata = "m".repeat(28);
      assertThat(client.call("EXISTS", key + "metadata")).isEqualTo(":0\r\n");
      assertThat(client.call("SET", key + "kv_bytes", chunk)).isEqualTo("+OK\r\n");
      assertThat(client.call("SET", key + "metadata", metadata)).isEqualTo("+OK\r\n");
      assertThat(client.call("EXISTS", key + "metadata")).isEqualTo(":1\r\n");
      assertThat(client.call("GET", key + "metadata")).isEqualTo("$28\r\n" + metadata + "\r\n");
      assertThat(client.call("GET", key + "kv_bytes")).isEqualTo("$300000\r\n" + chunk + "\r\n");
      assertThat(client.call("GET", "none")).isEqualTo("_\r\n");
    }
  }

  @Test
  void clientsOfTheOldProtocolGetTheOldNil() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("HELLO", "2")).startsWith("*14\r\n");
      assertThat(client.call("GET", "none")).isEqualTo("$-1\r\n");
      assertThat(client.call("INFO", "REPLICATION")).contains("role:master\r\n");
    }
  }

  @Test
  void configSetNamesEbbsKey() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"))
          .startsWith("-ERR")
          .contains("'maxmemory-policy'", "'ebb.eviction.policy'", "ebb config set");
      assertThat(client.call("CONFIG", "SET", "hz", "10")).contains("'hz'", "ebb config set");
      assertThat(client.call("CONFIG", "SET")).startsWith("-ERR");
      assertThat(client.call("CONFIG", "GET", "maxmemory-policy")).contains("maxmemory-policy");
    }
  }

  @Test
  void helpNamesEverySubcommandAndOnlyThose() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port())) {
      for (String command : new String[] {"CLIENT", "COMMAND", "CONFIG", "MODULE"}) {
        assertThat(client.call(command, "NOPE"))
            .isEqualTo("-ERR unknown subcommand 'NOPE'. Try %s HELP.\r\n".formatted(command));
        client
            .call(command, "HELP")
            .lines()
            .filter(line -> line.matches("\\+[A-Z].*") && !line.startsWith("+" + command))
            .map(line -> line.substring(1).split(" ", -1)[0])
            .forEach(sub ->
                assertThat(answer(client, command, sub))
                    .as(command + " " + sub)
                    .doesNotContain("unknown subcommand"));
      }
    }
  }

  private static String answer(RawClient client, String command, String sub) {
    try {
      return client.call(command, sub);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void aWebPageCannotHideCommandsInARequest() throws IOException {
    for (String request : new String[] {"POST / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\n"}) {
      try (RunningServer server = RunningServer.of(POOL);
          RawClient client = new RawClient(server.port());
          RawClient attacker = new RawClient(server.port())) {
        client.call("SET", "k", "v");
        attacker.send((request + "\r\nFLUSHALL\r\n").getBytes(StandardCharsets.US_ASCII));
        for (String _ : request.split("\r\n", -1)[1].isEmpty() ? new String[1] : new String[2]) {
          assertThat(attacker.reply()).startsWith("-ERR ");
        }
        assertThat(attacker.closed()).isTrue();
        assertThat(client.call("GET", "k")).isEqualTo("$1\r\nv\r\n");
      }
    }
  }

  @Test
  void aWriteStormNeverFailsAndNeverOverfills() throws IOException {
    try (RunningServer server = RunningServer.of(2 << 20);
        RawClient client = new RawClient(server.port())) {
      Random random = new Random(5);
      for (int i = 0; i < 400; i++) {
        String value = "v".repeat(random.nextInt(10) == 0 ? 3 << 20 : random.nextInt(200_000));
        assertThat(client.call("SET", "k" + i, value)).isEqualTo("+OK\r\n");
        assertThat(server.store().stats().usedBytes()).isLessThanOrEqualTo(2 << 20);
      }
      assertThat(server.store().stats().evicted()).isPositive();
      assertThat(server.store().stats().notAdmitted()).isPositive();
    }
  }

  @Test
  void aFullPoolMayBeAnErrorIfAskedFor() throws IOException {
    try (RunningServer server = RunningServer.of(1 << 20, null, true);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("SET", "k", "v".repeat(2 << 20))).startsWith("-OOM ");
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void aValueIsReadToItsEndWhileItIsReplaced() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient slow = new RawClient(server.port());
        RawClient other = new RawClient(server.port())) {
      String first = "a".repeat(7 << 20);
      other.call("SET", "k", first);
      slow.send("GET", "k");
      // The kernel's buffers take a part; the rest waits for the slow reader.
      Awaiting.until(() -> server.store().stats().hits() != 0);
      assertThat(other.call("SET", "k", "b".repeat(7 << 20))).isEqualTo("+OK\r\n");
      for (int i = 0; i < 50; i++) {
        assertThat(other.call("SET", "fill" + i, "c".repeat(1 << 20))).isEqualTo("+OK\r\n");
      }
      assertThat(slow.reply()).isEqualTo("$" + (7 << 20) + "\r\n" + first + "\r\n");
    }
  }

  @Test
  void aHalfSentValueIsNeverSeen() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient other = new RawClient(server.port())) {
      other.call("SET", "k", "old");
      try (RawClient half = new RawClient(server.port())) {
        half.send(
            ("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000000\r\n" + "x".repeat(500_000))
                .getBytes(StandardCharsets.ISO_8859_1));
        Awaiting.until(() -> server.store().stats().usedBytes() >= 500_000);
        assertThat(other.call("GET", "k")).isEqualTo("$3\r\nold\r\n");
      }
      Awaiting.until(() -> server.store().stats().usedBytes() <= 1024);
      assertThat(other.call("GET", "k")).isEqualTo("$3\r\nold\r\n");
    }
  }

  @Test
  void aClientThatReadsNothingIsNotReadFromForEver() throws Exception {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port());
        RawClient other = new RawClient(server.port())) {
      String value = "v".repeat(4 << 20);
      client.call("SET", "k", value);
      ByteArrayOutputStream gets = new ByteArrayOutputStream();
      for (int i = 0; i < 50; i++) {
        gets.writeBytes(RawClient.command("GET", "k"));
      }
      client.send(gets.toByteArray());
      Awaiting.until(() -> server.store().stats().hits() != 0);
      // The server serves others meanwhile, and has time to read on if it wanted to.
      for (int i = 0; i < 1_000; i++) {
        assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
      }
      assertThat(server.store().stats().hits()).isLessThan(10);
      for (int i = 0; i < 50; i++) {
        assertThat(client.reply()).hasSize(value.length() + 12);
      }
    }
  }

  @Test
  void itsEventLoopsAnswerUntilItIsClosed() {
    try (RunningServer running = RunningServer.of(1 << 20)) {
      assertThat(running.server().answers(Duration.ofSeconds(20))).isTrue();
      running.server().close();
      assertThat(running.server().answers(Duration.ofSeconds(20))).isFalse();
    }
  }

  @Test
  void aPasswordIsAskedForBeforeAnythingElse() throws IOException {
    try (RunningServer server = RunningServer.of(POOL, "secret", false);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("GET", "k")).isEqualTo("-NOAUTH Authentication required.\r\n");
      assertThat(client.call("SET", "k", "v")).startsWith("-NOAUTH");
      assertThat(client.call("HELLO", "3")).startsWith("-NOAUTH HELLO must be called");
      assertThat(client.call("AUTH", "wrong")).startsWith("-WRONGPASS");
      assertThat(client.call("HELLO", "3", "AUTH", "default", "secret")).startsWith("%7");
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void commandsInOneWriteAreAnsweredInOrder() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port())) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int i = 0; i < 2_000; i++) {
        all.writeBytes(RawClient.command("SET", "k" + i, "v" + i));
        all.writeBytes(RawClient.command("GET", "k" + i));
      }
      client.send(all.toByteArray());
      for (int i = 0; i < 2_000; i++) {
        assertThat(client.reply()).isEqualTo("+OK\r\n");
        String value = "v" + i;
        assertThat(client.reply()).isEqualTo("$" + value.length() + "\r\n" + value + "\r\n");
      }
    }
  }

  @Test
  void drainingClosesIdleConnectionsImmediately() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port())) {
      client.call("PING");
      server.server().drain(Duration.ofSeconds(20));
      assertThat(client.closed()).isTrue();
    }
  }

  @Test
  void aPortInUseIsReportedInOneLine() {
    try (RunningServer server = RunningServer.of(POOL)) {
      RespOptions taken =
          RunningServer.options(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), null);
      assertThatThrownBy(
              () -> RespServer.start(server.store(), RemoteValues.NONE, RequestRouter.NONE, taken))
          .isInstanceOf(UserError.class)
          .hasMessageContaining(":" + server.port() + "'");
    }
  }

  @Test
  void infoReportsPinsAndPrematureEvictions() throws IOException {
    try (RunningServer server = RunningServer.of(2 << 20);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("INFO", "stats"))
          .contains("\r\npinned_entries:0\r\n", "\r\npremature_evictions:0\r\n");
    }
  }
}
