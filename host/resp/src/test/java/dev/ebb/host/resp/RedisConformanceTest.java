package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same bytes to Redis itself, where there is one: the same bytes must come back. */
class RedisConformanceTest {

  private static final List<String> SCRIPT =
      """
      PING
      PING hello
      PING a b
      ECHO hello
      ECHO
      NONSENSE
      NONSENSE a b c
      GET
      GET k
      SET k
      SET k v
      GET k
      get k
      SET k v EX
      SET k v EX abc
      SET k v EX 0
      SET k v EX -1
      SET k v EX 9223372036854775807
      SET k v PX 100 EX 100
      SET k v NX XX
      SET k v EX abc EX 100
      SET k v PX 100000 PX 0
      SET k v KEEPTTL EX 10
      SET k v PXAT 9223372036854775807
      EXPIRE k 100 NX
      SET k v
      SET k v BOGUS
      SET k v NX
      SET k w XX
      SET none w XX
      SET k x GET
      SET none x XX GET
      SET n y NX GET
      SET k v EXAT 1
      GET k
      SET k 0123456789
      GETRANGE k 0 3
      GETRANGE k -3 -1
      GETRANGE k 5 2
      GETRANGE k -1 -5
      GETRANGE k 0 100
      GETRANGE k 20 30
      GETRANGE k -100 2
      GETRANGE k -100 -50
      GETRANGE none 0 1
      GETRANGE k a b
      STRLEN k
      STRLEN none
      SETEX k 100 v
      TTL k
      SETEX k 0 v
      SETEX k abc v
      SETEX k 100
      SET k v KEEPTTL
      TTL k
      SET k v
      TTL k
      PTTL k
      TTL none
      EXPIRE k 100 XX
      EXPIRE k 100 NX
      EXPIRE k 50 GT
      EXPIRE k 50 LT
      TTL k
      EXPIRE k 100 NX XX
      EXPIRE k 100 GT LT
      EXPIRE k 100 BOGUS
      EXPIRE k abc
      EXPIRE k abc BOGUS
      EXPIRE k 9223372036854775807 NX XX
      EXPIRE k 9223372036854775807
      EXPIRE none 10
      EXPIRE k -1
      EXISTS k
      SET a 1
      SET b 2
      MGET a none b a
      EXISTS a b none a
      TYPE a
      TYPE none
      DBSIZE
      DEL a none
      UNLINK b b
      SET m@1@0@h@halfmetadata early
      SET m@1@0@h@halfkv_bytes chunk
      GET m@1@0@h@halfmetadata
      SET m@1@0@h@halfmetadata late NX
      SET m@1@0@h@halfmetadata late GET
      STRLEN m@1@0@h@halfmetadata
      TYPE m@1@0@h@halfmetadata
      EXPIRE m@1@0@h@halfmetadata 100
      TTL m@1@0@h@halfmetadata
      TTL m@1@0@h@halfkv_bytes
      SET m@1@0@h@halfkv_bytes chunk2
      MGET m@1@0@h@halfmetadata m@1@0@h@halfkv_bytes
      DBSIZE
      DEL m@1@0@h@halfkv_bytes
      EXISTS m@1@0@h@halfmetadata m@1@0@h@halfkv_bytes
      TTL m@1@0@h@halfmetadata
      GETRANGE m@1@0@h@halfmetadata 1 2
      SET m@1@0@h@halfkv_bytes chunk3 NX
      UNLINK m@1@0@h@halfmetadata
      EXISTS m@1@0@h@halfmetadata m@1@0@h@halfkv_bytes
      SCAN abc
      SCAN 0 COUNT 0
      SCAN 0 COUNT abc
      SCAN 0 BOGUS 1
      SCAN 0 COUNT 0 COUNT abc
      SCAN 00 MATCH nothing
      SCAN +0 MATCH nothing
      SCAN - MATCH nothing
      SCAN 18446744073709551616
      SCAN 0 MATCH
      SELECT 0
      SELECT abc
      SELECT 99
      SELECT -1
      SELECT 99999999999
      SELECT -99999999999
      AUTH x
      AUTH a b
      AUTH a b c
      CLIENT SETNAME bob
      CLIENT GETNAME
      CLIENT BOGUS
      CLIENT LIST BOGUS
      CLIENT LIST TYPE
      CLIENT LIST TYPE bogus
      CLIENT LIST TYPE pubsub
      CLIENT LIST TYPE Replica
      CLIENT LIST ID
      CLIENT LIST ID abc
      CLIENT LIST ID 999999 999998
      CLIENT SETNAME
      CLIENT
      CONFIG GET appendonly
      CONFIG GET
      CONFIG GET save
      CONFIG BOGUS
      COMMAND BOGUS
      COMMAND GETKEYS GET k
      COMMAND GETKEYS MGET a b c
      COMMAND GETKEYS SET k v EX 10
      COMMAND GETKEYS PING
      COMMAND GETKEYS PING x
      COMMAND GETKEYS NONSENSE x
      COMMAND GETKEYS GET a b
      COMMAND GETKEYS GET
      COMMAND GETKEYS
      COMMAND INFO nonsense
      COMMAND DOCS nonsense
      COMMAND COUNT x
      COMMAND LIST BOGUS
      COMMAND LIST FILTERBY BOGUS x
      COMMAND LIST FILTERBY MODULE nonsense
      COMMAND LIST FILTERBY PATTERN mget
      MODULE
      MODULE BOGUS
      MODULE LIST x
      ACL WHOAMI
      ACL WHOAMI x
      ACL USERS
      ACL USERS x
      ACL BOGUS
      ACL
      ACL HELP x
      CONFIG HELP x
      CLIENT HELP x
      COMMAND HELP x
      FLUSHALL
      FLUSHALL BOGUS
      FLUSHDB ASYNC
      DBSIZE
      HELLO 4
      HELLO abc
      HELLO 2 BOGUS
      SET  spaced   "a b\\x41\\n"
      GET 'spaced'
      "NON\\x00SENSE" "a\\x00b" c
      CONFIG "BO\\x00GUS"
      SCAN "0\\x001" MATCH nothing
      """
          .lines()
          .toList();

  /** What users without rights get; each refused by Redis too. */
  private static final List<String> REFUSED =
      """
      GET b:1
      SET ann:1 v
      SET b:1 v
      MGET ann:1 b:1
      EXISTS b:1 ann:1
      TTL b:1
      GETRANGE b:1 0 1
      DEL ann:1
      UNLINK b:1
      EXPIRE ann:1 10
      FLUSHALL
      FLUSHDB
      CONFIG GET save
      ACL LIST
      ACL USERS
      ACL WHOAMI
      ACL WHOAMI x
      CLIENT LIST
      GET
      NONSENSE
      AUTH ann wrong
      HELLO 2 AUTH ann wrong
      AUTH nobody x
      GET ann:1
      """
          .lines()
          .toList();

  @TempDir private Path directory;
  private Process redis;
  private RunningServer server;
  private RawClient expected;
  private RawClient actual;

  @BeforeEach
  void startBoth() throws Exception {
    Optional<Path> program =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
            .map(folder -> Path.of(folder, "redis-server"))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(program.isPresent(), "no redis-server on the PATH to compare with");
    int port = freePort();
    redis =
        new ProcessBuilder(
                program.orElseThrow().toString(),
                "--port",
                Integer.toString(port),
                "--save",
                "",
                "--dir",
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("redis.log").toFile())
            .start();
    server = RunningServer.of(4 << 20);
    expected = connected(port);
    actual = new RawClient(server.port());
  }

  @AfterEach
  void stopBoth() throws Exception {
    if (redis != null) {
      actual.close();
      expected.close();
      server.close();
      redis.destroy();
      redis.waitFor(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void refusalsAreThoseOfRedis() throws Exception {
    UserConfig ann =
        new UserConfig("ann", Accounts.HASH, Set.of(UserRight.READ), List.of("ann:"), null);
    assertThat(
            expected.call(
                "ACL",
                "SETUSER",
                "ann",
                "on",
                ">" + Accounts.PASSWORD,
                "~ann:*",
                "-@all",
                "+@read",
                "+acl|whoami"))
        .isEqualTo("+OK\r\n");
    try (RunningServer users =
            RunningServer.withUsers(4 << 20, null, List.of(ann), RemoteValues.NONE);
        RawClient reader = new RawClient(users.port())) {
      for (RawClient client : List.of(expected, reader)) {
        assertThat(client.call("AUTH", "ann", Accounts.PASSWORD)).isEqualTo("+OK\r\n");
      }
      for (String line : REFUSED) {
        String[] words = line.split(" ", -1);
        assertThat(reader.call(words)).as(line).isEqualTo(expected.call(words));
      }
    }
  }

  @Test
  void repliesAreThoseOfRedis() throws Exception {
    for (String line : SCRIPT) {
      byte[] typed = (line + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
      byte[] bytes =
          line.contains("\"") || line.contains("'")
              ? typed
              : RawClient.command(line.split(" ", -1));
      expected.send(bytes);
      actual.send(bytes);
      assertThat(actual.reply()).as(line).isEqualTo(expected.reply());
    }
    helpIsOfOneShape(expected, actual);
  }

  @Test
  void repliesToRandomRequestsAreThoseOfRedis() throws Exception {
    RandomRequests requests = new RandomRequests(7);
    for (int i = 0; i < Histories.times(4_000); i++) {
      String[] request = requests.next();
      byte[] bytes = RawClient.command(request);
      expected.send(bytes);
      actual.send(bytes);
      String there = expected.reply();
      String here = actual.reply();
      if (!RandomRequests.isSame(request, there, here)) {
        assertThat(here).as("request %d: %s", i, String.join(" ", request)).isEqualTo(there);
      }
    }
  }

  /** The commands differ; the shape of the answer does not. */
  private static void helpIsOfOneShape(RawClient expected, RawClient actual) throws IOException {
    for (String command : List.of("ACL", "CONFIG", "CLIENT", "COMMAND", "MODULE")) {
      List<String> redis = expected.call(command, "help").lines().toList();
      List<String> ebb = actual.call(command, "help").lines().toList();
      assertThat(ebb.getFirst()).isEqualTo("*" + (ebb.size() - 1));
      assertThat(redis.getFirst()).startsWith("*");
      assertThat(ebb.get(1)).isEqualTo(redis.get(1));
      assertThat(ebb.subList(ebb.size() - 2, ebb.size()))
          .isEqualTo(redis.subList(redis.size() - 2, redis.size()));
      assertThat(ebb.subList(1, ebb.size())).allMatch(line -> line.startsWith("+"));
    }
  }

  private static RawClient connected(int port) throws Exception {
    for (int attempt = 0; ; attempt++) {
      try {
        return new RawClient(port);
      } catch (IOException notYet) {
        if (attempt == 1_000) {
          throw notYet;
        }
        Awaiting.pause();
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
