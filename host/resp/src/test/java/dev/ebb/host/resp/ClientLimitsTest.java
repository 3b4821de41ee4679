package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientLimitsTest {

  private static final int MIB = 1 << 20;
  private static final long POOL = 16 * MIB;
  private static final Duration NEVER = Duration.ZERO;
  private static final Duration SHORT = Duration.ofMillis(200);

  private final List<RawClient> clients = new ArrayList<>();

  @AfterEach
  void closeClients() throws IOException {
    for (RawClient client : clients) {
      client.close();
    }
  }

  private RawClient connect(RunningServer server) throws IOException {
    RawClient client = new RawClient(server.port());
    clients.add(client);
    return client;
  }

  /** Clients that stop in the middle of a value use all memory of the pool. */
  private void fillWithHalfValues(RunningServer server) throws IOException {
    for (int i = 0; i < 4; i++) {
      connect(server).send(halfOfAValue(3 * MIB + MIB / 2));
    }
    // Memory is allocated by the MiB: each writer has 4, and none has to ask for more.
    Awaiting.until(() -> server.store().stats().usedBytes() == POOL);
  }

  @Test
  void anotherClientThanAllowedIsRefused() throws IOException {
    try (RunningServer server = limited(new ClientLimits(2, POOL, NEVER, NEVER));
        RawClient first = new RawClient(server.port());
        RawClient second = new RawClient(server.port())) {
      first.call("PING");
      second.call("PING");
      try (RawClient third = new RawClient(server.port())) {
        assertThat(third.reply()).isEqualTo("-ERR max number of clients reached\r\n");
        assertThat(third.closed()).isTrue();
      }
      assertThat(first.call("INFO"))
          .contains("maxclients:2\r\n", "connected_clients:2\r\n", "rejected_connections:1\r\n");
      assertThat(server.server().stats().connections()).isEqualTo(2);
      second.call("QUIT");
      Awaiting.until(() -> server.server().stats().connections() == 1);
      try (RawClient fourth = new RawClient(server.port())) {
        assertThat(fourth.call("PING")).isEqualTo("+PONG\r\n");
      }
    }
  }

  @Test
  void incompleteCommandsOfAllClientsAreBounded() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, 8 * MIB, NEVER, NEVER));
        RawClient other = new RawClient(server.port())) {
      byte[] half = halfOfACommand(2 * MIB);
      for (int i = 0; i < 25; i++) {
        RawClient client = connect(server);
        client.send(half);
      }
      Awaiting.until(() -> server.server().stats().evicted() >= 21);
      assertThat(server.server().stats().memoryBytes()).isLessThanOrEqualTo(8 * MIB);
      long evicted;
      String info;
      do {
        // Some may be evicted meanwhile.
        evicted = server.server().stats().evicted();
        info = other.call("INFO");
      } while (server.server().stats().evicted() != evicted);
      assertThat(info).contains("evicted_clients:" + evicted + "\r\n");
      closeClients();
      Awaiting.until(() -> server.server().stats().memoryBytes() == 0);
    }
  }

  @Test
  void openRequestsOfAllClientsAreBounded() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, 8 * MIB, NEVER, NEVER));
        RawClient other = new RawClient(server.port())) {
      String reply = "";
      int open = 0;
      for (int i = 0; i < 10 && !reply.startsWith("-"); i++) {
        RawClient client = connect(server);
        for (int id = 0; id < 10 && !reply.startsWith("-"); id++) {
          reply = client.call(beginOfRequest("r" + id, i + "-" + id + "-", 1_000));
          open++;
        }
      }
      assertThat(reply).contains("client-memory", "EBB.REQUEST END");
      assertThat(open).isBetween(10, 99);
      assertThat(server.server().stats().memoryBytes()).isLessThanOrEqualTo(8 * MIB);
      assertThat(server.server().stats().evicted()).isZero();
      assertThat(other.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      assertThat(clients.getFirst().call("EBB.REQUEST", "END", "r0")).isEqualTo("+OK\r\n");
      assertThat(other.call(beginOfRequest("r", "other", 1_000))).isEqualTo(":0\r\n");
      closeClients();
      assertThat(other.call("EBB.REQUEST", "END", "r")).isEqualTo("+OK\r\n");
      Awaiting.until(() -> server.server().stats().memoryBytes() == 0);
    }
  }

  private static String[] beginOfRequest(String id, String prefix, int keys) {
    return Stream.concat(
            Stream.of("EBB.REQUEST", "BEGIN", id, "KEYS"),
            IntStream.range(0, keys).mapToObj(each -> prefix + each))
        .toArray(String[]::new);
  }

  @Test
  void aCommandThatWasExecutedUsesNoMemory() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, 64 * MIB, NEVER, NEVER));
        RawClient client = new RawClient(server.port())) {
      String[] words = new String[9];
      Arrays.fill(words, "x".repeat(MIB));
      words[0] = "EXISTS";
      assertThat(client.call(words)).isEqualTo(":0\r\n");
      Awaiting.until(() -> server.server().stats().memoryBytes() == 0);
    }
  }

  @Test
  void repliesThatNobodyReadsAreBounded() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, 8 * MIB, NEVER, NEVER));
        RawClient other = new RawClient(server.port())) {
      byte[] echo = RawClient.command("ECHO", "x".repeat(500_000));
      for (int i = 0; i < 8; i++) {
        RawClient client = connect(server);
        Thread.ofVirtual()
            .start(() -> {
              try {
                for (int sent = 0; sent < 100; sent++) {
                  client.send(echo);
                }
              } catch (IOException closed) {
                // As it should be.
              }
            });
      }
      Awaiting.until(() -> server.server().stats().evicted() > 0);
      assertThat(server.server().stats().memoryBytes()).isLessThanOrEqualTo(8 * MIB);
      assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void manyCopiesOfOneValueAreSentFromThePool() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, 64 * MIB, NEVER, NEVER));
        RawClient client = new RawClient(server.port())) {
      client.call("SET", "k", "v".repeat(16_000));
      String[] words = new String[5_001];
      Arrays.fill(words, "k");
      words[0] = "MGET";
      long before = Memory.directBytes();
      client.send(words);
      Awaiting.until(() -> server.store().stats().reading() > 0);
      assertThat(Memory.directBytes() - before).isLessThan(Memory.NOISE);
      assertThat(client.reply()).hasSize("*5000\r\n".length() + 5_000 * (16_000 + 10));
    }
  }

  @Test
  void aStalledWriterIsDisconnectedAndItsMemoryFreed() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, POOL, SHORT, NEVER));
        RawClient idle = new RawClient(server.port());
        RawClient client = new RawClient(server.port())) {
      idle.call("PING");
      client.send(halfOfAValue(4 * MIB));
      Awaiting.until(() -> server.store().stats().usedBytes() >= 4 * MIB);
      assertThat(client.closed()).isTrue();
      Awaiting.until(() -> server.store().stats().usedBytes() == 0);
      assertThat(server.server().stats().stalled()).isOne();
      assertThat(idle.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void aValueWithoutRoomBesideStalledWritersIsCounted() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, POOL, NEVER, NEVER));
        RawClient client = new RawClient(server.port())) {
      fillWithHalfValues(server);
      assertThat(client.call("SET", "other", "v".repeat(4 * MIB))).isEqualTo("+OK\r\n");
      assertThat(client.call("GET", "other")).isEqualTo("$-1\r\n");
      assertThat(client.call("INFO")).contains("not_admitted_values:1\r\n");
    }
  }

  @Test
  void stalledWritersAreDisconnectedSoonerIfAValueFindsNoRoom() throws IOException {
    Duration stall = Duration.ofMinutes(10);
    try (RunningServer server = limited(new ClientLimits(100, POOL, stall, NEVER));
        RawClient client = new RawClient(server.port())) {
      fillWithHalfValues(server);
      client.call("SET", "other", "v".repeat(4 * MIB));
      assertThat(client.call("GET", "other")).isEqualTo("$-1\r\n");
      Awaiting.until(() -> server.server().stats().stalled() == 4);
      Awaiting.until(() -> server.store().stats().usedBytes() == 0);
      client.call("SET", "other", "v".repeat(4 * MIB));
      assertThat(client.call("GET", "other")).hasSizeGreaterThan(4 * MIB);
    }
  }

  @Test
  void aWriterThatSendsSingleBytesIsDisconnected() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, POOL, Duration.ofSeconds(2), NEVER));
        RawClient client = new RawClient(server.port())) {
      client.send(halfOfAValue(4 * MIB));
      Awaiting.until(() -> {
        try {
          client.send(new byte[] {'v'});
        } catch (IOException closed) {
          // The server has closed the connection.
        }
        return server.server().stats().stalled() == 1;
      });
      Awaiting.until(() -> server.store().stats().usedBytes() == 0);
    }
  }

  @Test
  void aClientThatReadsNothingIsDisconnected() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, POOL, SHORT, NEVER));
        RawClient client = new RawClient(server.port())) {
      client.call("SET", "k", "v".repeat(8 * MIB));
      for (int i = 0; i < 4; i++) {
        client.send("GET", "k");
      }
      Awaiting.until(() -> server.server().stats().stalled() == 1);
      Awaiting.until(() -> server.store().stats().reading() == 0);
    }
  }

  @Test
  void anIdleClientIsDisconnected() throws IOException {
    try (RunningServer server = limited(new ClientLimits(100, POOL, NEVER, SHORT));
        RawClient client = new RawClient(server.port())) {
      client.call("PING");
      assertThat(client.closed()).isTrue();
      assertThat(server.server().stats().idle()).isOne();
    }
  }

  @Test
  void guessesOfAPasswordAreLimitedAndCounted() throws IOException {
    try (RunningServer server = RunningServer.limited(POOL, "secret", ClientLimits.defaults());
        RawClient client = new RawClient(server.port());
        RawClient known = new RawClient(server.port())) {
      assertThat(known.call("AUTH", "secret")).isEqualTo("+OK\r\n");
      String reply = client.call("AUTH", "guess");
      assertThat(reply).startsWith("-WRONGPASS");
      int checked = 0;
      while (reply.startsWith("-WRONGPASS")) {
        checked++;
        reply = client.call("AUTH", "guess" + checked);
      }
      assertThat(checked).isGreaterThanOrEqualTo(10);
      assertThat(reply).contains("too many failed logins");
      assertThat(known.call("INFO")).contains("failed_logins:" + checked + "\r\n");
    }
  }

  @Test
  void aClientWithAnOldPasswordDoesNotRefuseOthers() throws IOException {
    try (RunningServer server = RunningServer.limited(POOL, "secret", ClientLimits.defaults());
        RawClient old = new RawClient(server.port());
        RawClient known = new RawClient(server.port())) {
      for (int i = 0; i < 100; i++) {
        assertThat(old.call("AUTH", "old")).startsWith("-WRONGPASS");
      }
      assertThat(known.call("AUTH", "secret")).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void aLongClientNameIsRefused() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("CLIENT", "SETNAME", "n".repeat(257))).contains("256 bytes");
      assertThat(client.call("CLIENT", "SETNAME", "n".repeat(256))).isEqualTo("+OK\r\n");
    }
  }

  private static RunningServer limited(ClientLimits limits) {
    return RunningServer.limited(POOL, null, limits);
  }

  private static byte[] halfOfAValue(int sent) {
    return "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s"
        .formatted(2 * sent, "v".repeat(sent))
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] halfOfACommand(int sent) {
    int keys = sent / 1_000;
    String key = "$1000\r\n" + "k".repeat(1_000) + "\r\n";
    return ("*" + 2 * keys + "\r\n$4\r\nMGET\r\n" + key.repeat(keys))
        .getBytes(StandardCharsets.US_ASCII);
  }
}
