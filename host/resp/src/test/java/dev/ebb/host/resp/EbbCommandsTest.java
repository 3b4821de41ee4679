package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.testing.Awaiting;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Module;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.CommandListFilterByParams;
import redis.clients.jedis.resps.CommandDocument;
import redis.clients.jedis.resps.CommandInfo;

/** Commands that Redis does not have, as clients of Redis send them. */
class EbbCommandsTest {

  private static final List<String> NAMES =
      List.of(
          "ebb.abort",
          "ebb.blocks",
          "ebb.commit",
          "ebb.explain",
          "ebb.hints",
          "ebb.lease",
          "ebb.map",
          "ebb.match",
          "ebb.mgetrange",
          "ebb.pin",
          "ebb.place",
          "ebb.release",
          "ebb.request",
          "ebb.route",
          "ebb.seq",
          "ebb.unpin",
          "ebb.wait");

  private final RunningServer server = RunningServer.of(16 << 20);
  private final RawClient client = open(server.port());

  private static RawClient open(int port) {
    try {
      return new RawClient(port);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
  }

  @Test
  void waitChecksItsArgumentsAsRedisDoesAndNeedsACluster() throws IOException {
    assertThat(client.call("EBB.WAIT", "x", "0"))
        .isEqualTo("-ERR value is not an integer or out of range\r\n");
    assertThat(client.call("EBB.WAIT", "1", "x"))
        .isEqualTo("-ERR timeout is not an integer or out of range\r\n");
    assertThat(client.call("EBB.WAIT", "1", "-1")).isEqualTo("-ERR timeout is negative\r\n");
    assertThat(client.call("EBB.WAIT", "1")).startsWith("-ERR wrong number of arguments");
    assertThat(client.call("EBB.WAIT", "1", "0"))
        .startsWith("-ERR")
        .contains("ebb.cluster.enabled = true");
  }

  @Test
  void matchCountsTheLeadingKeysThatExist() throws IOException {
    client.call("SET", "a", "1");
    client.call("SET", "b", "2");
    client.call("SET", "d", "4");
    assertThat(client.call("EBB.MATCH", "a", "b", "c", "d")).isEqualTo(":2\r\n");
    assertThat(client.call("ebb.match", "none", "a")).isEqualTo(":0\r\n");
    assertThat(client.call("Ebb.Match", "d", "b", "a")).isEqualTo(":3\r\n");
    assertThat(client.call("EBB.MATCH")).startsWith("-ERR wrong number").contains("'ebb.match'");
    // No other byte is a dot.
    assertThat(client.call("EBB_MATCH", "a")).startsWith("-ERR unknown command");
    assertThat(client.call("EBB\u000eMATCH", "a")).startsWith("-ERR unknown command");
  }

  @Test
  void rangesOfSeveralValuesComeInOneReply() throws IOException {
    client.call("SET", "a", "0123456789");
    client.call("SET", "b", "xyz");
    assertThat(client.call("EBB.MGETRANGE", "2", "3", "a", "none", "b"))
        .isEqualTo("*3\r\n$3\r\n234\r\n$-1\r\n$1\r\nz\r\n");
    assertThat(client.call("EBB.MGETRANGE", "-4", "2", "a", "b"))
        .isEqualTo("*2\r\n$2\r\n67\r\n$2\r\nxy\r\n");
    assertThat(client.call("EBB.MGETRANGE", "3", "9223372036854775807", "b", "a"))
        .isEqualTo("*2\r\n$0\r\n\r\n$7\r\n3456789\r\n");
    assertThat(client.call("EBB.MGETRANGE", "-9223372036854775808", "0", "a"))
        .isEqualTo("*1\r\n$0\r\n\r\n");
    assertThat(client.call("EBB.MGETRANGE", "0", "-1", "a")).startsWith("-ERR").contains("'-1'");
    assertThat(client.call("EBB.MGETRANGE", "x", "1", "a")).startsWith("-ERR value is not an int");
    assertThat(client.call("EBB.MGETRANGE", "0", "1")).startsWith("-ERR wrong number");
    assertThat(server.store().stats().reading()).isZero();
  }

  @Test
  void rangesOfLargeValuesAreThoseOfTheWholeValues() {
    Random random = new Random(11);
    try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      List<byte[]> values = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        byte[] value = new byte[random.nextInt(3 << 20)];
        random.nextBytes(value);
        values.add(value);
        jedis.set(bytes("v" + i), value);
      }
      for (int i = 0; i < 50; i++) {
        int from = random.nextInt(3 << 20);
        int length = random.nextInt(1 << random.nextInt(21));
        Object reply =
            jedis.sendCommand(
                () -> bytes("EBB.MGETRANGE"), "" + from, "" + length, "v0", "v1", "v2");
        for (int v = 0; v < 3; v++) {
          byte[] value = values.get(v);
          int start = Math.min(from, value.length);
          assertThat((byte[]) ((List<?>) reply).get(v))
              .isEqualTo(Arrays.copyOfRange(value, start, Math.min(value.length, start + length)));
        }
      }
    }
  }

  @Test
  void pinsBelongToOwnersAndStayWithinTheBudget() throws IOException {
    client.call("SET", "a", "v".repeat(1 << 20));
    assertThat(client.call("EBB.PIN", "none")).isEqualTo(":0\r\n");
    assertThat(client.call("EBB.PIN", "a")).isEqualTo(":1\r\n");
    assertThat(client.call("EBB.PIN", "a", "EX", "100", "owner", "s\u00c3\u00a9arch"))
        .isEqualTo(":1\r\n");
    assertThat(server.store().pins())
        .extracting(pin -> pin.owner())
        .containsExactly("operator", "s\u00e9arch");
    assertThat(server.store().pins().getLast().expiresAt()).isPositive();
    assertThat(client.call("EBB.UNPIN", "a", "OWNER", "other")).isEqualTo(":0\r\n");
    assertThat(client.call("EBB.UNPIN", "a", "OWNER", "operator")).isEqualTo(":1\r\n");
    assertThat(client.call("EBB.UNPIN", "a")).isEqualTo(":1\r\n");
    assertThat(client.call("EBB.UNPIN", "a")).isEqualTo(":0\r\n");
    assertThat(server.store().stats().pinned()).isZero();

    client.call("SET", "b", "v".repeat(6 << 20));
    assertThat(client.call("EBB.PIN", "b"))
        .startsWith("-ERR ")
        .contains("pin budget", "unpin", "ebb.eviction.pin-budget");
  }

  @Test
  void wrongPinsAreRefused() throws IOException {
    client.call("SET", "a", "1");
    String syntax = "-ERR syntax error\r\n";
    assertThat(client.call("EBB.PIN", "a", "OWNER")).isEqualTo(syntax);
    assertThat(client.call("EBB.PIN", "a", "FOR", "9")).isEqualTo(syntax);
    assertThat(client.call("EBB.UNPIN", "a", "EX", "9")).isEqualTo(syntax);
    assertThat(client.call("EBB.UNPIN", "a", "OWNER")).isEqualTo(syntax);
    assertThat(client.call("EBB.PIN", "a", "OWNER", " ")).contains("OWNER ' '", "64");
    assertThat(client.call("EBB.PIN", "a", "OWNER", "x".repeat(65))).contains("64");
    assertThat(client.call("EBB.PIN", "a", "EX", "0")).contains("EX '0'", "315360000");
    assertThat(client.call("EBB.PIN", "a", "EX", "315360001")).contains("'315360001'");
    assertThat(client.call("EBB.PIN", "a", "EX", "soon")).startsWith("-ERR value is not an int");
    assertThat(server.store().stats().pinned()).isZero();
  }

  @Test
  void aRequestStatesItsKeys() throws IOException {
    assertThat(client.call("EBB.REQUEST", "BEGIN", "r1", "KEYS", "a", "b", "c"))
        .isEqualTo(":0\r\n");
    try (RawClient other = new RawClient(server.port())) {
      other.call("SET", "c", "3");
      other.call("SET", "b", "2");
      client.call("SET", "a", "1");
      assertThat(server.store().stats().chains().linked()).isZero();
      assertThat(other.call("EBB.REQUEST", "END", "r1"))
          .startsWith("-ERR ")
          .contains("'r1'", "BEGIN");
      assertThat(client.call("ebb.request", "end", "r1", "output", "25")).isEqualTo("+OK\r\n");
      assertThat(server.store().stats().chains().linked()).isEqualTo(2);
      assertThat(client.call("EBB.REQUEST", "END", "r1")).startsWith("-ERR ").contains("'r1'");
      String[] options = {"TENANT", "ann", "PRIORITY", "7", "LABEL", "agent", "HINT", "4"};
      List<String> words = new ArrayList<>(List.of("EBB.REQUEST", "BEGIN", "r2"));
      words.addAll(List.of(options));
      words.addAll(List.of("KEYS", "a", "b", "x", "c"));
      assertThat(other.call(words.toArray(String[]::new))).isEqualTo(":2\r\n");
    }
    // The end of the connection ends its requests.
    Awaiting.until(() -> server.store().stats().chains().requests() == 2);
    assertThat(server.store().stats().chains().hits()).isEqualTo(2);
  }

  @Test
  void wrongRequestsAreRefused() throws IOException {
    assertThat(client.call("EBB.REQUEST", "BEGIN")).startsWith("-ERR wrong number");
    assertThat(client.call("EBB.REQUEST", "STOP", "r")).contains("'STOP'", "BEGIN, END");
    assertThat(client.call("EBB.REQUEST", "BEGIN", "r")).startsWith("-ERR").contains("KEYS");
    assertThat(client.call("EBB.REQUEST", "BEGIN", "r", "KEYS")).contains("at least one key");
    assertThat(client.call("EBB.REQUEST", "BEGIN", "r", "COSTS", "2", "KEYS", "a"))
        .startsWith("-ERR ")
        .contains("'COSTS'", "OUTPUT");
    assertThat(client.call("EBB.REQUEST", "BEGIN", "r", "PRIORITY", "x", "KEYS", "a"))
        .contains("PRIORITY 'x'");
    assertThat(client.call("EBB.REQUEST", "END", "nope"))
        .startsWith("-ERR ")
        .contains("'nope'", "EBB.REQUEST BEGIN");
    for (int i = 0; i < 1024; i++) {
      assertThat(client.call("EBB.REQUEST", "BEGIN", "r" + i, "KEYS", "a")).isEqualTo(":0\r\n");
    }
    assertThat(client.call("EBB.REQUEST", "BEGIN", "more", "KEYS", "a"))
        .startsWith("-ERR ")
        .contains("'more'", "1024", "END");
    assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
  }

  @Test
  void theKeysOfARequestFollowAKeyword() throws IOException {
    assertThat(
            client.call(
                "COMMAND",
                "GETKEYS",
                "ebb.request",
                "begin",
                "keys",
                "hint",
                "1",
                "keys",
                "a",
                "b"))
        .isEqualTo("*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    for (String[] keyless : new String[][] {{"END", "r"}, {"BEGIN", "r"}, {"BEGIN", "r", "KEYS"}}) {
      List<String> words = new ArrayList<>(List.of("COMMAND", "GETKEYS", "EBB.REQUEST"));
      words.addAll(List.of(keyless));
      assertThat(client.call(words.toArray(String[]::new)))
          .isEqualTo("-ERR The command has no key arguments\r\n");
    }
    client.call("HELLO", "3");
    assertThat(client.call("COMMAND", "INFO", "EBB.REQUEST"))
        .contains("+movablekeys\r\n", "$7\r\nkeyword\r\n$4\r\nKEYS\r\n", "startfrom\r\n:3\r\n");
    assertThat(client.call("COMMAND", "DOCS", "EBB.REQUEST"))
        .contains("$4\r\nKEYS\r\n", "$8\r\nPRIORITY\r\n", "+multiple\r\n");
  }

  @Test
  void theKeysOfPlaceAreFoundBehindTheirKeyword() throws IOException {
    assertThat(
            client.call("COMMAND", "GETKEYS", "EBB.PLACE", "EX", "9", "KEYS", "a", "1", "b", "2"))
        .isEqualTo("*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    assertThat(client.call("COMMAND", "GETKEYS", "EBB.PLACE", "EX", "9", "a", "1"))
        .isEqualTo("-ERR The command has no key arguments\r\n");
    client.call("HELLO", "3");
    assertThat(client.call("COMMAND", "INFO", "EBB.PLACE"))
        .contains("+movablekeys\r\n", "startfrom\r\n:1\r\n")
        .contains("lastkey\r\n:-1\r\n", "keystep\r\n:2\r\n");
    assertThat(client.call("COMMAND", "DOCS", "EBB.PLACE"))
        .contains("$5\r\nblock\r\n", "$4\r\nKEYS\r\n", "arguments\r\n*2\r\n", "$5\r\nbytes\r\n");
    assertThat(client.call("COMMAND", "INFO", "EBB.LEASE"))
        .contains(":-2\r\n", ":1\r\n:-1\r\n:1\r\n");
  }

  @Test
  void explainNamesThePolicy() throws IOException {
    client.call("SET", "a", "1");
    assertThat(client.call("EBB.EXPLAIN", "none")).isEqualTo("$-1\r\n");
    assertThat(client.call("EBB.EXPLAIN", "a"))
        .contains("policy=" + server.store().site().policy());
    assertThat(server.store().stats().hits()).isZero();
  }

  @Test
  void jedisSeesTheCommandsOfAModule() {
    try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      assertThat(jedis.moduleList()).extracting(Module::getName).containsExactly("ebb");
      assertThat(jedis.moduleList()).extracting(Module::getVersion).containsExactly(100);
      assertThat(jedis.commandListFilterBy(filter("module", "ebb"))).hasSameElementsAs(NAMES);
      assertThat(jedis.commandListFilterBy(filter("module", "other"))).isEmpty();
      assertThat(jedis.commandListFilterBy(filter("pattern", "ebb.*pin")))
          .containsExactlyInAnyOrder("ebb.pin", "ebb.unpin");
      assertThat(jedis.commandList()).containsAll(NAMES).hasSize((int) jedis.commandCount());
      assertThat(jedis.commandGetKeys("EBB.MGETRANGE", "0", "1", "a", "b"))
          .containsExactly("a", "b");
      assertThat(jedis.commandGetKeys("EBB.PIN", "a", "EX", "9")).containsExactly("a");

      Map<String, CommandInfo> infos = jedis.commandInfo("ebb.match", "get", "nonsense");
      assertThat(infos).containsKeys("ebb.match", "get");
      assertThat(requireNonNull(infos.get("ebb.match")).getArity()).isEqualTo(-2);
      assertThat(requireNonNull(infos.get("ebb.match")).getFlags()).contains("readonly", "module");
      assertThat(requireNonNull(infos.get("get")).getLastKey()).isEqualTo(1);
      assertThat(jedis.commandInfo("nonsense").values()).allMatch(info -> info == null);

      Map<String, CommandDocument> docs = jedis.commandDocs();
      assertThat(docs.keySet()).hasSameElementsAs(NAMES);
      docs.forEach((name, document) -> {
        assertThat(document.getGroup()).as(name).isEqualTo("module");
        assertThat(document.getSummary()).as(name).endsWith(".");
      });
      assertThat(jedis.commandDocs("ebb.pin", "get").keySet()).containsExactly("ebb.pin");
    }
  }

  private static CommandListFilterByParams filter(String by, String value) {
    var filter = CommandListFilterByParams.commandListFilterByParams();
    return by.equals("module") ? filter.filterByModule(value) : filter.filterByPattern(value);
  }

  @Test
  void lettuceReadsTheDescriptions() {
    RedisClient lettuce = RedisClient.create("redis://127.0.0.1:" + server.port());
    try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
      assertThat(connection.sync().command()).hasSize(connection.sync().commandCount().intValue());
      assertThat(connection.sync().commandInfo("ebb.mgetrange")).hasSize(1);
    } finally {
      lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  @Test
  void documentationIsOfTheShapeOfRedis() throws IOException {
    client.call("HELLO", "3");
    assertThat(client.call("COMMAND", "DOCS", "EBB.UNPIN"))
        .startsWith("%1\r\n$9\r\nebb.unpin\r\n%6\r\n$7\r\nsummary\r\n")
        .contains("$5\r\nsince\r\n$5\r\n0.1.0\r\n", "$5\r\ngroup\r\n$6\r\nmodule\r\n")
        .contains("$5\r\ntoken\r\n$5\r\nOWNER\r\n$5\r\nflags\r\n~1\r\n+optional\r\n");
    assertThat(client.call("COMMAND", "INFO", "EBB.PIN", "nope"))
        .startsWith(
            "*2\r\n*10\r\n$7\r\nebb.pin\r\n:-2\r\n~2\r\n+write\r\n+module\r\n:1\r\n:1\r\n:1\r\n")
        .endsWith("_\r\n");
    assertThat(client.call("HELLO", "2")).contains("$3\r\nebb\r\n$3\r\nver\r\n:100\r\n");
  }

  @Test
  void redisCliShowsReplies() throws Exception {
    assumeTrue(
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-cli"))),
        "no redis-cli on the PATH");
    client.call("SET", "a", "hello");
    assertThat(cli("ebb.match", "a", "b")).isEqualTo("1\n");
    assertThat(cli("ebb.mgetrange", "1", "3", "a", "b")).isEqualTo("ell\n\n");
    assertThat(cli("-3", "ebb.mgetrange", "1", "3", "a")).isEqualTo("ell\n");
    assertThat(cli("command", "list", "filterby", "module", "ebb").lines())
        .hasSameElementsAs(NAMES);
    assertThat(cli("ebb.pin", "a", "ex", "x").toUpperCase(Locale.ROOT)).contains("ERR");
  }

  private String cli(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("redis-cli", "-p", "" + server.port()));
    command.addAll(List.of(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return out;
  }

  @Test
  void errorsReachJedisAsErrors() {
    try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      assertThatThrownBy(() -> jedis.sendCommand(() -> bytes("EBB.PIN"), "a", "EX", "0"))
          .isInstanceOf(JedisDataException.class)
          .hasMessageContaining("EX '0'");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
