package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.resp.session.Users;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Users with hashed passwords, over real connections. */
@Timeout(60)
class UsersTest {

  private static final long POOL = 8 << 20;
  private static final String OK = "+OK\r\n";
  private static final String WRONG =
      "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
  private static final String NO_KEY =
      "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n";

  private static String noCommand(String name) {
    return "-NOPERM this user has no permissions to run the '%s' command\r\n".formatted(name);
  }

  private static RunningServer server(@Nullable String password) {
    return RunningServer.withUsers(POOL, password, Accounts.ALL, RemoteValues.NONE);
  }

  private static RawClient login(RunningServer server, String name) throws IOException {
    RawClient client = new RawClient(server.port());
    assertThat(client.call("AUTH", name, Accounts.PASSWORD)).isEqualTo(OK);
    return client;
  }

  @Test
  void aUserLogsInWithAuthOrHello() throws IOException {
    try (RunningServer server = server("default-password");
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("GET", "ann:1")).startsWith("-NOAUTH");
      assertThat(client.call("AUTH", "ann", "wrong")).isEqualTo(WRONG);
      assertThat(client.call("AUTH", "nobody", Accounts.PASSWORD)).isEqualTo(WRONG);
      assertThat(client.call("GET", "ann:1")).startsWith("-NOAUTH");
      assertThat(client.call("AUTH", "ann", Accounts.PASSWORD)).isEqualTo(OK);
      assertThat(client.call("ACL", "WHOAMI")).isEqualTo("$3\r\nann\r\n");
      // Now from the digest of the last password, which a wrong one does not change.
      assertThat(client.call("AUTH", "ann", "wrong as well")).isEqualTo(WRONG);
      assertThat(client.call("ACL", "WHOAMI")).isEqualTo("$3\r\nann\r\n");
      assertThat(client.call("HELLO", "3", "AUTH", "boss", Accounts.PASSWORD, "SETNAME", "x"))
          .startsWith("%7");
      assertThat(client.call("ACL", "WHOAMI")).isEqualTo("$4\r\nboss\r\n");
      assertThat(client.call("CLIENT", "LIST")).contains(" name=x ", " user=boss ");
      assertThat(client.call("AUTH", "default-password")).isEqualTo(OK);
      assertThat(client.call("ACL", "WHOAMI")).isEqualTo("$7\r\ndefault\r\n");
      assertThat(client.call("AUTH", "default", "other")).isEqualTo(WRONG);
      assertThat(client.call("HELLO", "2", "AUTH", "ann", "default-password")).isEqualTo(WRONG);
      assertThat(server.server().stats().failedLogins()).isEqualTo(5);
    }
  }

  @Test
  void commandsAfterALoginWaitForIt() throws IOException {
    try (RunningServer server = server(null);
        RawClient client = new RawClient(server.port())) {
      client.send(RawClient.command("AUTH", "ann", Accounts.PASSWORD));
      client.send("SET", "ann:1", "v");
      client.send("GET", "ann:1");
      assertThat(client.reply()).isEqualTo(OK);
      assertThat(client.reply()).isEqualTo(OK);
      assertThat(client.reply()).isEqualTo("$1\r\nv\r\n");
    }
  }

  @Test
  void otherClientsAreServedWhileAHashIsChecked() throws IOException {
    try (RunningServer server = server(null);
        RawClient other = login(server, "boss")) {
      RawClient[] guessing = new RawClient[3];
      for (int i = 0; i < guessing.length; i++) {
        guessing[i] = new RawClient(server.port());
        guessing[i].send("AUTH", "ann", "guess " + i);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
      }
      for (RawClient each : guessing) {
        assertThat(each.reply()).isEqualTo(WRONG);
        each.close();
      }
    }
  }

  @Test
  void allConnectionsOfAUserLogInAtTheSameTime() throws IOException {
    List<RawClient> clients = new ArrayList<>();
    try (RunningServer server = server(null)) {
      for (int i = 0; i < 3 * Users.MOST_WAITING; i++) {
        RawClient client = new RawClient(server.port());
        clients.add(client);
        client.send("AUTH", "ann", Accounts.PASSWORD);
      }
      for (RawClient client : clients) {
        assertThat(client.reply()).isEqualTo(OK);
        client.close();
      }
    }
  }

  @Test
  void guessesAreSlowed() throws IOException {
    try (RunningServer server = server(null);
        RawClient client = new RawClient(server.port())) {
      for (int i = 0; i < 10; i++) {
        assertThat(client.call("AUTH", "default", "guess " + i)).isEqualTo(WRONG);
      }
      assertThat(client.call("AUTH", "ann", "guess")).contains("too many failed logins");
      assertThat(client.call("AUTH", "ann", Accounts.PASSWORD)).contains("too many failed logins");
    }
  }

  @Test
  void aConnectionThatEndsWhileItsHashIsCheckedIsForgotten() throws IOException {
    try (RunningServer server = server(null)) {
      for (int i = 0; i < 3; i++) {
        RawClient client = new RawClient(server.port());
        client.send("AUTH", "ann", "guess " + i);
        client.close();
      }
      Awaiting.until(() -> server.server().stats().connections() == 0);
      try (RawClient client = login(server, "ann")) {
        assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
      }
    }
  }

  @Test
  void withUsersAndWithoutPasswordTheDefaultUserIsOff() throws IOException {
    try (RunningServer server = server(null);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("PING")).startsWith("-NOAUTH");
      assertThat(client.call("AUTH", "x")).isEqualTo(WRONG);
      assertThat(client.call("AUTH", "default", "")).isEqualTo(WRONG);
      assertThat(client.call("HELLO", "3")).startsWith("-NOAUTH");
      assertThat(client.call("AUTH", "boss", Accounts.PASSWORD)).isEqualTo(OK);
      assertThat(client.call("ACL", "LIST"))
          .contains("user default off ")
          .contains("user ann on ~ann:* resetchannels -@all +@read +@write")
          .contains("user boss on ~* resetchannels +@all")
          .doesNotContain(Accounts.HASH.encoded());
      assertThat(client.call("ACL", "USERS"))
          .isEqualTo(
              "*5\r\n"
                  + List.of("ann", "boss", "default", "reader", "writer").stream()
                      .map(name -> "$%d\r\n%s\r\n".formatted(name.length(), name))
                      .collect(Collectors.joining()));
    }
  }

  @Test
  void rightsAndPrefixesDecide() throws IOException {
    try (RunningServer server = server(null);
        RawClient ann = login(server, "ann");
        RawClient reader = login(server, "reader");
        RawClient boss = login(server, "boss")) {
      assertThat(ann.call("SET", "ann:1", "one")).isEqualTo(OK);
      assertThat(boss.call("SET", "b:1", "two")).isEqualTo(OK);
      assertThat(boss.call("SET", "c:1", "three")).isEqualTo(OK);

      assertThat(ann.call("SET", "b:1", "changed")).isEqualTo(NO_KEY);
      assertThat(ann.call("SETEX", "b:1", "10", "changed")).isEqualTo(NO_KEY);
      assertThat(ann.call("GET", "b:1")).isEqualTo(NO_KEY);
      assertThat(ann.call("MGET", "ann:1", "b:1")).isEqualTo(NO_KEY);
      assertThat(ann.call("EBB.MATCH", "ann:1", "c:1")).isEqualTo(NO_KEY);
      assertThat(ann.call("EBB.REQUEST", "BEGIN", "r", "KEYS", "ann:1", "c:1")).isEqualTo(NO_KEY);
      assertThat(ann.call("FLUSHALL")).isEqualTo(noCommand("flushall"));
      assertThat(ann.call("CONFIG", "GET", "port")).isEqualTo(noCommand("config|get"));
      assertThat(ann.call("CLIENT", "LIST")).isEqualTo(noCommand("client|list"));
      assertThat(reader.call("MGET", "ann:1", "b:1")).isEqualTo("*2\r\n$3\r\none\r\n$3\r\ntwo\r\n");
      assertThat(reader.call("SET", "ann:1", "v")).isEqualTo(noCommand("set"));
      assertThat(reader.call("DEL", "ann:1")).isEqualTo(noCommand("del"));
      assertThat(boss.call("GET", "b:1")).isEqualTo("$3\r\ntwo\r\n");

      assertThat(scan(ann)).containsExactlyInAnyOrder("ann:1");
      assertThat(scan(reader)).containsExactlyInAnyOrder("ann:1", "b:1");
      assertThat(scan(boss)).containsExactlyInAnyOrder("ann:1", "b:1", "c:1");
      assertThat(boss.call("FLUSHALL")).isEqualTo(OK);
      assertThat(boss.call("DBSIZE")).isEqualTo(":0\r\n");
    }
  }

  private static List<String> scan(RawClient client) throws IOException {
    return client
        .call("SCAN", "0", "COUNT", "10000")
        .lines()
        .filter(line -> line.contains(":") && line.charAt(0) != ':')
        .toList();
  }

  @Test
  void aValueThatMayNotBeStoredTakesNoMemoryAndTheConnectionContinues() throws IOException {
    String large = "v".repeat(6 << 20);
    try (RunningServer server = server(null);
        RawClient reader = login(server, "reader");
        RawClient ann = login(server, "ann");
        RawClient boss = login(server, "boss")) {
      for (int i = 0; i < 4; i++) {
        assertThat(boss.call("SET", "kept:" + i, "v".repeat(1 << 20))).isEqualTo(OK);
      }
      assertThat(reader.call("SET", "ann:1", large)).isEqualTo(noCommand("set"));
      assertThat(ann.call("SET", "c:1", large)).isEqualTo(NO_KEY);
      assertThat(ann.call("SET", "c:1", "small")).isEqualTo(NO_KEY);
      ann.send("SET c:1 inline\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(ann.reply()).isEqualTo(NO_KEY);
      assertThat(reader.call("PING")).isEqualTo("+PONG\r\n");
      assertThat(boss.call("EXISTS", "kept:0", "kept:1", "kept:2", "kept:3")).isEqualTo(":4\r\n");
      assertThat(boss.call("EXISTS", "c:1", "ann:1")).isEqualTo(":0\r\n");
      assertThat(ann.call("SET", "ann:1", "v")).isEqualTo(OK);
    }
  }

  @Test
  void aRefusedKeyIsNotLookedUpOnOtherNodes() throws IOException {
    try (OtherNode other = new OtherNode(POOL, 3, 0);
        RunningServer server = RunningServer.withUsers(POOL, null, Accounts.ALL, other);
        RawClient ann = login(server, "ann")) {
      other.set("ann:1", "there");
      other.set("b:1", "hidden");
      assertThat(ann.call("GET", "b:1")).isEqualTo(NO_KEY);
      assertThat(ann.call("DEL", "b:1")).isEqualTo(NO_KEY);
      assertThat(other.questions.get()).isZero();
      assertThat(ann.call("GET", "ann:1")).isEqualTo("$5\r\nthere\r\n");
    }
  }

  @Test
  void aWriterReadsNothing() throws IOException {
    try (RunningServer server = server("pw");
        RawClient writer = login(server, "writer")) {
      assertThat(writer.call("SET", "k", "v")).isEqualTo(OK);
      assertThat(writer.call("SET", "k", "v", "GET")).isEqualTo(noCommand("set"));
      assertThat(writer.call("GET", "k")).isEqualTo(noCommand("get"));
      assertThat(writer.call("SCAN", "0")).isEqualTo(noCommand("scan"));
    }
  }
}
