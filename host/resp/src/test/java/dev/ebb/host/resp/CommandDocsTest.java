package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.testing.Awaiting;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/** COMMAND DOCS has the form of Redis', from which libraries and redis-cli build help. */
class CommandDocsTest {

  private static final int TIMEOUT_MILLIS = 20_000;

  /** All fields of an argument in Redis 7, in their order. */
  private static final List<String> FIELDS =
      List.of(
          "name",
          "type",
          "display_text",
          "key_spec_index",
          "token",
          "summary",
          "since",
          "deprecated_since",
          "flags",
          "arguments");

  private static final Set<String> TYPES =
      Set.of(
          "string",
          "integer",
          "double",
          "key",
          "pattern",
          "unix-time",
          "pure-token",
          "oneof",
          "block");

  private static final Set<String> FLAGS = Set.of("optional", "multiple", "multiple_token");

  private static Map<String, String> syntaxes(int port, String... commands) {
    String[] words = new String[commands.length + 1];
    words[0] = "DOCS";
    System.arraycopy(commands, 0, words, 1, commands.length);
    Map<String, String> syntaxes = new TreeMap<>();
    try (Jedis jedis = new Jedis("127.0.0.1", port, TIMEOUT_MILLIS)) {
      Map<String, Object> all = map(jedis.sendCommand(Protocol.Command.COMMAND, words));
      all.forEach((name, docs) -> {
        Object arguments = map(docs).get("arguments");
        syntaxes.put(name, arguments == null ? "" : syntax((List<?>) arguments, " "));
      });
    }
    return syntaxes;
  }

  /** Returns a map that a client of protocol version 2 has received. */
  private static Map<String, Object> map(Object reply) {
    Map<String, Object> map = new LinkedHashMap<>();
    List<?> flat = (List<?>) reply;
    for (int i = 0; i < flat.size(); i += 2) {
      map.put(text(flat.get(i)), flat.get(i + 1));
    }
    return map;
  }

  private static String text(Object bytes) {
    return new String((byte[]) bytes, StandardCharsets.UTF_8);
  }

  private static @Nullable String text(Map<String, Object> argument, String field) {
    Object value = argument.get(field);
    return value == null ? null : text(value);
  }

  /** Returns the syntax as redis.io shows it, and checks the form of the arguments. */
  private static String syntax(List<?> arguments, String separator) {
    return arguments.stream().map(each -> syntax(map(each))).collect(Collectors.joining(separator));
  }

  private static String syntax(Map<String, Object> argument) {
    assertThat(FIELDS).containsSubsequence(argument.keySet());
    String type = requireNonNull(text(argument, "type"));
    String name = requireNonNull(text(argument, "name"));
    String token = text(argument, "token");
    assertThat(type).isIn(TYPES);
    assertThat(argument.containsKey("key_spec_index")).isEqualTo(type.equals("key"));
    boolean nested = type.equals("oneof") || type.equals("block");
    assertThat(argument.containsKey("arguments")).as(name).isEqualTo(nested);
    Object nestedArguments = argument.get("arguments");
    List<?> inner = nestedArguments == null ? List.of() : (List<?>) nestedArguments;
    String words =
        switch (type) {
          case "pure-token" -> requireNonNull(token);
          case "oneof" -> syntax(inner, " | ");
          case "block" -> syntax(inner, " ");
          default -> name;
        };
    Object flags = argument.get("flags");
    Set<String> set =
        flags == null
            ? Set.of()
            : ((List<?>) flags).stream().map(CommandDocsTest::text).collect(Collectors.toSet());
    assertThat(FLAGS).containsAll(set);
    if (set.contains("multiple")) {
      words += " [" + words + " ...]";
    }
    if (token != null && !type.equals("pure-token")) {
      words = token + " " + words;
    }
    if (set.contains("optional")) {
      return "[" + words + "]";
    }
    return type.equals("oneof") ? "<" + words + ">" : words;
  }

  @Test
  void ebbsCommandsHaveTheFormOfRedis() {
    try (RunningServer server = RunningServer.of(1 << 20)) {
      Map<String, String> syntaxes = syntaxes(server.port());
      assertThat(syntaxes)
          .hasSize(17)
          .containsEntry("ebb.wait", "replicas timeout")
          .containsEntry(
              "ebb.request",
              "<BEGIN id [TENANT tenant] [PRIORITY priority] [LABEL label] [HINT hint] [MODEL"
                  + " model] [INPUT input-tokens] [MAXOUTPUT most-tokens] [OUTPUT tokens] [LIFETIME"
                  + " seconds] [COST milliseconds] [RETURN return-seconds] [GROUPS groups]"
                  + " [TRACEPARENT context] [CHUNK chunk-tokens] [TOKENS prompt] [ADAPTER adapter]"
                  + " [SALT salt] KEYS key [key ...] | END id [HINT hint] [FINISH reason] [MODEL"
                  + " model] [OUTPUT tokens] [LIFETIME seconds] [COST milliseconds] [RETURN"
                  + " return-seconds]>")
          .containsEntry(
              "ebb.place", "[EX seconds | PX milliseconds] KEYS key bytes [key bytes ...]")
          .containsEntry("ebb.pin", "key [OWNER owner] [EX seconds]")
          .containsEntry("ebb.blocks", "hash [hash ...]")
          .containsEntry("ebb.route", "[TOKENS chunk-tokens] key [key ...]")
          .containsEntry("ebb.mgetrange", "offset length key [key ...]")
          .containsEntry("ebb.hints", "id [TOKENS chunk-tokens] hints")
          .containsEntry("ebb.map", "[PACKED]");
    }
  }

  @Test
  void redisItselfIsReadTheSameWay() throws Exception {
    assumeTrue(
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-server"))),
        "no redis-server on the PATH");
    int port = freePort();
    Process redis =
        new ProcessBuilder("redis-server", "--port", "" + port, "--save", "")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      Awaiting.until(() -> listens(port));
      assertThat(syntaxes(port, "SET", "XADD", "MGET", "GETEX"))
          .containsEntry("mget", "key [key ...]")
          .containsEntry(
              "xadd",
              "key [NOMKSTREAM] [<MAXLEN | MINID> [= | ~] threshold [LIMIT count]] <* | id>"
                  + " field value [field value ...]")
          .hasEntrySatisfying(
              "set", syntax -> assertThat(syntax).startsWith("key value [NX | XX] [GET] [EX "));
    } finally {
      redis.destroy();
      redis.waitFor();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }
}
