package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.resp.net.RespStats;
import dev.ebb.host.resp.session.Text;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.stats.HitSources;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose values another node has. */
@Timeout(120)
class RemoteCommandsTest {

  private static final long POOL = 64 << 20;

  private static final ExecutorService SENDERS = Executors.newCachedThreadPool();

  private final OtherNode other = new OtherNode(POOL, 5, 0);
  private final RunningServer server = RunningServer.node(POOL, other);

  @AfterAll
  static void endSenders() {
    SENDERS.shutdown();
  }

  /** All readers of both nodes are closed, and no memory is lost. */
  @AfterEach
  void nothingIsLeft() {
    if (other.waiting() > 0) {
      other.release();
    }
    empty(server, other);
  }

  private static void empty(RunningServer server, OtherNode other) {
    Awaiting.until(
        () -> server.store().stats().reading() == 0 && other.store().stats().reading() == 0);
    server.server().close();
    // Whatever it still answers is dropped.
    other.finish();
    for (ObjectStore store : List.of(server.store(), other.store())) {
      store.clear();
      assertThat(store.stats().usedBytes()).isZero();
    }
    server.close();
    other.close();
  }

  private RawClient client() throws IOException {
    return new RawClient(server.port());
  }

  @Test
  void waitRepliesWhenOtherNodesHaveWhatTheConnectionStored() throws IOException {
    try (RawClient client = client();
        RawClient second = client()) {
      String id = client.call("CLIENT", "ID").strip().substring(1);
      client.call("SET", "x", "1");
      client.call("SET", "x", "2", "NX");
      client.call("SETEX", "y", "100", "3");
      second.call("SET", "z", "4");
      assertThat(other.stored).filteredOn(each -> each.startsWith(id + " ")).hasSize(2);
      assertThat(other.stored).contains(id + " x", id + " y").hasSize(3);

      client.send("EBB.WAIT", "2", "0");
      client.send("PING");
      Awaiting.until(() -> other.waits.size() == 1);
      assertThat(second.call("PING")).isEqualTo("+PONG\r\n");
      other.waits.getFirst().complete(2);
      assertThat(client.reply()).isEqualTo(":2\r\n");
      assertThat(client.reply()).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void aValueThatIsNotKeptReplacesThatOfAnotherNode() throws IOException {
    other.set("k", "old");
    other.set("m@1@0@a1b2@half", "chunk");
    String tooLarge = "v".repeat((int) POOL + 1);
    try (RawClient client = client()) {
      assertThat(client.call("SET", "k", tooLarge)).isEqualTo("+OK\r\n");
      assertThat(client.call("GET", "k")).isEqualTo("$-1\r\n");
      assertThat(client.call("SET", "m@1@0@a1b2@half", tooLarge)).isEqualTo("+OK\r\n");
      assertThat(client.call("GET", "m@1@0@a1b2@half")).isEqualTo("$5\r\nchunk\r\n");

      other.set("k", "old");
      assertThat(client.call("SET", "k", tooLarge, "GET")).isEqualTo("$3\r\nold\r\n");
      assertThat(client.call("EXISTS", "k")).isEqualTo(":0\r\n");
    }
  }

  @Test
  void aWaitEndsWithItsConnection() throws IOException {
    try (RawClient client = client()) {
      client.send("EBB.WAIT", "2", "0");
      Awaiting.until(() -> other.waits.size() == 1);
    }
    Awaiting.until(() -> other.waits.getFirst().isDone());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET far | $5~12345~",
        "GET near | $3~abc~",
        "GET none | $-1~",
        "MGET far none near far | *4~$5~12345~$-1~$3~abc~$5~12345~",
        "GETRANGE far 1 2 | $2~23~",
        "GETRANGE none 1 2 | $0~~",
        "STRLEN far | :5~",
        "STRLEN none | :0~",
        "EXISTS far near none far | :3~",
        "TYPE far | +string~",
        "TYPE none | +none~",
        "TTL far | :-1~",
        "PTTL none | :-2~",
        "EBB.MATCH near far near none far | :3~",
        "EBB.MGETRANGE 1 2 far none near | *3~$2~23~$-1~$2~bc~",
        "EBB.REQUEST BEGIN r KEYS far near far2 none | :3~",
        "DEL far near none far | :2~",
        "UNLINK far | :1~",
        "FLUSHALL | +OK~",
        "SET far x NX | $-1~",
        "SET far x NX GET | $5~12345~",
        "SET none x NX | +OK~",
        "SET none x NX GET | $-1~",
        "SET far x XX | +OK~",
        "SET none x XX | $-1~",
        "SET far x GET | $5~12345~",
        "SET far x XX GET | $5~12345~",
        "SET far x KEEPTTL | +OK~",
        "EBB.PIN far | :0~",
        "EXPIRE far 10 | :0~",
        "DBSIZE | :1~"
      })
  void aValueIsReturnedWhereverItIs(String command, String reply) throws IOException {
    other.set("far", "12345");
    other.set("far2", "67");
    try (RawClient client = client()) {
      assertThat(client.call("SET", "near", "abc")).isEqualTo("+OK\r\n");
      assertThat(client.call(command.split(" "))).isEqualTo(reply.replace("~", "\r\n"));
      if (command.startsWith("DEL") || command.startsWith("FLUSH")) {
        assertThat(client.call("GET", "far")).isEqualTo("$-1\r\n");
        assertThat(client.call("GET", "near")).isEqualTo("$-1\r\n");
      }
    }
  }

  /** Taken twice, the second answer would end the command that is being read by then. */
  @Test
  void anAnswerThatAsksAgainIsTakenOnce() throws IOException {
    other.set("far", "12345");
    other.recordsReplaced = true;
    try (RawClient client = client()) {
      other.hold();
      byte[] next = RawClient.command("MGET", "near", "none", "far");
      ByteBuffer both = ByteBuffer.allocate(200);
      both.put(RawClient.command("SET", "far", "x", "XX")).put(next, 0, next.length - 9).flip();
      client.send(Arrays.copyOf(both.array(), both.limit()));
      Awaiting.until(() -> other.waiting() == 1);
      other.release();
      assertThat(client.reply()).isEqualTo("+OK\r\n");
      client.send(Arrays.copyOfRange(next, next.length - 9, next.length));
      assertThat(client.reply()).isEqualTo("*3\r\n$-1\r\n$-1\r\n$1\r\nx\r\n");
    }
  }

  /** A value that arrives in parts is the same to a client as one that arrives as a whole. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET far | $5~12345~",
        "MGET far none near far2 far | *5~$5~12345~$-1~$3~abc~$2~67~$5~12345~",
        "GETRANGE far 1 3 | $3~234~",
        "GETRANGE far -2 -1 | $2~45~",
        "GETRANGE far 7 9 | $0~~",
        "EBB.MGETRANGE 1 3 far none near | *3~$3~234~$-1~$2~bc~",
        "SET far x NX GET | $5~12345~",
        "SET far x GET | $5~12345~"
      })
  void aValueMayArriveInParts(String command, String reply) throws IOException {
    other.set("far", "12345");
    other.set("far2", "67");
    try (RawClient client = client()) {
      assertThat(client.call("SET", "near", "abc")).isEqualTo("+OK\r\n");
      for (int bytes = 1; bytes < 6; bytes++) {
        other.partBytes = bytes;
        client.send("PING", "before");
        client.send(command.split(" "));
        client.send("PING", "after");
        assertThat(client.reply()).isEqualTo("$6\r\nbefore\r\n");
        assertThat(client.reply()).isEqualTo(reply.replace("~", "\r\n"));
        assertThat(client.reply()).isEqualTo("$5\r\nafter\r\n");
        client.call("DEL", "far");
        other.set("far", "12345");
      }
    }
  }

  /** A client that does not read keeps the memory of few parts, however large the value is. */
  @Test
  void theNextPartIsAskedForWhenThoseBeforeAreSent() throws Exception {
    int bytes = 32 << 20;
    other.set("far", "x".repeat(bytes));
    other.partBytes = 1 << 20;
    try (RawClient slow = client();
        RawClient witness = client()) {
      slow.send("GET", "far");
      slow.send("GET", "far");
      Awaiting.until(() -> other.questions.get() > 0);
      int asked = -1;
      for (int i = 0; i < 50 || asked != other.questions.get(); i++) {
        asked = other.questions.get();
        assertThat(witness.call("PING")).isEqualTo("+PONG\r\n");
        Awaiting.until(() -> other.store().stats().reading() <= 4);
      }
      assertThat(asked).isBetween(1, 24);
      for (int i = 0; i < 2; i++) {
        assertThat(slow.reply()).hasSize(bytes + "$33554432\r\n\r\n".length());
      }
      assertThat(other.questions.get()).isEqualTo(64);
    }
  }

  @Test
  void aConnectionEndsIfTheRestOfAValueDoesNotArrive() throws Exception {
    other.set("far", "x".repeat(3 << 20));
    other.set("far2", "12");
    other.partBytes = 1 << 20;
    try (RawClient client = client()) {
      other.hold();
      client.send("MGET", "far", "near", "far2");
      Awaiting.until(() -> other.waiting() == 1);
      other.releaseOne();
      Awaiting.until(() -> other.waiting() == 1);
      other.store().clear();
      other.release();
      assertThatThrownBy(client::reply).isInstanceOf(IOException.class);
    }
    Awaiting.until(() -> other.store().stats().reading() == 0);
  }

  @Test
  void onlyMissingKeysAreAskedForAndOnce() throws IOException {
    other.set("far", "12345");
    try (RawClient client = client()) {
      client.call("SET", "near", "abc");
      client.call("MGET", "near", "near");
      client.call("EXISTS", "near");
      client.call("EBB.MATCH", "near", "near");
      client.call("SET", "near", "abc", "XX", "GET");
      assertThat(other.questions.get()).isZero();
      client.call("MGET", "far", "near", "none");
      client.call("EBB.MATCH", "near", "far", "none", "far");
      assertThat(other.questions.get()).isEqualTo(2);
      RespStats stats = server.server().stats();
      assertThat(stats.remoteHits()).isOne();
      assertThat(stats.remoteMisses()).isEqualTo(2);
      assertThat(stats.remoteFailures()).isZero();
      assertThat(client.call("INFO", "stats"))
          .contains("remote_hits:1\r\n", "remote_misses:2\r\n", "remote_failures:0\r\n");
      StoreStats counted = server.store().stats();
      assertThat(counted.hits()).isEqualTo(4);
      assertThat(counted.sources()).isEqualTo(new HitSources(0, 0, 1, 5));
      // That of MGET, and the end of the prefix.
      assertThat(counted.misses()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"kv_bytes", "metadata"})
  void bothHalvesOfAChunkAreDeleted(String half) throws IOException {
    try (RawClient client = client()) {
      for (String where : List.of("near", "far")) {
        String key = "vllm@model@1@0@%016x@half@".formatted(where.length());
        for (String name : List.of("kv_bytes", "metadata")) {
          if (where.equals("near")) {
            client.call("SET", key + name, "12345");
          } else {
            other.set(key + name, "12345");
          }
        }
        assertThat(client.call("DEL", key + half)).as(where).isEqualTo(":1\r\n");
        for (String name : List.of("kv_bytes", "metadata")) {
          assertThat(client.call("GET", key + name)).as(where).isEqualTo("$-1\r\n");
        }
      }
    }
  }

  @Test
  void keepTtlKeepsTheExpiryOfTheValueOfAnotherNode() throws IOException {
    long at = System.currentTimeMillis() + 3_600_000;
    byte[] far = Text.bytes("far");
    other.set("far", "12345");
    other.store().expire(far, at, end -> true);
    try (RawClient client = client()) {
      assertThat(client.call("TTL", "far")).isIn(":3600\r\n", ":3599\r\n", ":3598\r\n");
      assertThat(client.call("SET", "far", "new", "KEEPTTL")).isEqualTo("+OK\r\n");
      assertThat(server.store().expiresAt(far)).isEqualTo(at);
    }
  }

  @Test
  void aConnectionWaitsInOrderAndOthersGoOn() throws IOException {
    other.set("far", "12345");
    try (RawClient waiting = client();
        RawClient second = client();
        RawClient third = client()) {
      waiting.call("SET", "near", "abc");
      other.hold();
      waiting.send("PING", "before");
      assertThat(waiting.reply()).isEqualTo("$6\r\nbefore\r\n");
      waiting.send("GET", "near");
      waiting.send("GET", "far");
      assertThat(waiting.reply()).isEqualTo("$3\r\nabc\r\n");
      Awaiting.until(() -> other.waiting() == 1);
      waiting.send("SET", "near", "def");
      waiting.send("GET", "near");
      waiting.send("GET", "far");
      for (int i = 0; i < 20; i++) {
        assertThat(second.call("GET", "near")).isEqualTo("$3\r\nabc\r\n");
        assertThat(third.call("PING")).isEqualTo("+PONG\r\n");
      }
      assertThat(other.waiting()).isOne();
      other.release();
      assertThat(waiting.reply()).isEqualTo("$5\r\n12345\r\n");
      assertThat(waiting.reply()).isEqualTo("+OK\r\n");
      assertThat(waiting.reply()).isEqualTo("$3\r\ndef\r\n");
      assertThat(waiting.reply()).isEqualTo("$5\r\n12345\r\n");
    }
  }

  @Test
  void inputIsNotReadWhileAConnectionWaits() throws Exception {
    try (RawClient waiting = client();
        RawClient witness = client();
        ExecutorService sender = Executors.newSingleThreadExecutor()) {
      other.hold();
      waiting.send("GET", "far");
      Awaiting.until(() -> other.waiting() == 1);
      byte[] value = RawClient.command("SET", "large", "x".repeat(32 << 20));
      Future<?> sent =
          sender.submit(() -> {
            waiting.send(value);
            return null;
          });
      long used = 0;
      for (int i = 0; i < 200; i++) {
        witness.call("PING");
        used = Math.max(used, server.store().stats().usedBytes());
      }
      assertThat(used).isZero();
      assertThat(sent.isDone()).isFalse();
      other.release();
      sent.get();
      assertThat(waiting.reply()).isEqualTo("$-1\r\n");
      assertThat(waiting.reply()).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void aClosedConnectionReleasesWhatItHolds() throws IOException {
    // With NIO the server notices the end of a connection when it reads again, after the answer.
    assumeTrue(Epoll.isAvailable());
    other.set("far", "x".repeat(100_000));
    try (RawClient client = client()) {
      client.call("SET", "near", "y".repeat(100_000));
      long used = server.store().stats().usedBytes();
      other.hold();
      try (RawClient leaving = client();
          RawClient storing = client()) {
        leaving.send("MGET", "near", "far");
        storing.send("SET", "far", "z".repeat(200_000), "NX");
        Awaiting.until(() -> other.waiting() == 2);
        assertThat(server.store().stats().reading()).isOne();
        assertThat(server.store().stats().usedBytes()).isGreaterThan(used);
      }
      Awaiting.until(() -> server.server().stats().connections() == 1);
      Awaiting.until(() -> server.store().stats().reading() == 0);
      Awaiting.until(() -> server.store().stats().usedBytes() == used);
      other.release();
      assertThat(client.call("GET", "none")).isEqualTo("$-1\r\n");
      // The other node may answer the first requests after this one.
      Awaiting.until(() -> other.store().stats().reading() == 0);
    }
  }

  @Test
  void aDrainedConnectionIsAnsweredFirst() throws Exception {
    other.set("far", "12345");
    try (RawClient waiting = client();
        ExecutorService drainer = Executors.newSingleThreadExecutor()) {
      other.hold();
      waiting.send("GET", "far");
      Awaiting.until(() -> other.waiting() == 1);
      Future<?> drained = drainer.submit(() -> server.server().drain(Duration.ofSeconds(60)));
      Awaiting.until(() -> !server.server().stats().accepting());
      other.release();
      assertThat(waiting.reply()).isEqualTo("$5\r\n12345\r\n");
      assertThat(waiting.closed()).isTrue();
      drained.get();
    }
  }

  @Test
  void anAnswerToAClosedServerIsDropped() throws IOException {
    other.set("far", "12345");
    try (RawClient waiting = client()) {
      other.hold();
      waiting.send("GET", "far");
      Awaiting.until(() -> other.waiting() == 1);
      server.server().close();
      other.release();
      other.finish();
      assertThat(other.store().stats().reading()).isZero();
      assertThat(waiting.closed()).isTrue();
    }
  }

  @Test
  void aWaitingConnectionIsNeitherIdleNorStalled() throws IOException {
    Duration timeout = Duration.ofSeconds(1);
    OtherNode far = new OtherNode(POOL, 6, 0);
    RunningServer limited =
        RunningServer.node(POOL, null, new ClientLimits(10, POOL, timeout, timeout), far);
    far.set("far", "12345");
    far.hold();
    try (RawClient waiting = new RawClient(limited.port())) {
      waiting.send("GET", "far");
      Awaiting.until(() -> far.waiting() == 1);
      try (RawClient idle = new RawClient(limited.port())) {
        assertThat(idle.closed()).isTrue();
      }
      Awaiting.until(() -> limited.server().stats().connections() == 1);
      far.release();
      assertThat(waiting.reply()).isEqualTo("$5\r\n12345\r\n");
    }
    empty(limited, far);
  }

  @Test
  void whatAnotherNodeDoesNotAnswerIsAMiss() throws IOException {
    OtherNode gone = new OtherNode(POOL, 7, 1);
    RunningServer node = RunningServer.node(POOL, gone);
    try (RawClient client = new RawClient(node.port())) {
      gone.set("far", "12345");
      client.call("SET", "near", "abc");
      assertThat(client.call("GET", "far")).isEqualTo("$-1\r\n");
      assertThat(client.call("MGET", "far", "near")).isEqualTo("*2\r\n$-1\r\n$3\r\nabc\r\n");
      assertThat(client.call("EXISTS", "far", "near")).isEqualTo(":1\r\n");
      assertThat(client.call("TTL", "far")).isEqualTo(":-2\r\n");
      assertThat(client.call("SET", "far", "x", "NX")).isEqualTo("+OK\r\n");
      // The client must not take the value for removed.
      assertThat(client.call("DEL", "near")).startsWith("-ERR ").contains("send the command again");
      assertThat(client.call("FLUSHALL")).startsWith("-ERR ").contains("send the command again");
      assertThat(node.server().stats().remoteFailures()).isEqualTo(7);
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
    }
    empty(node, gone);
  }

  /** Both nodes together answer every pipelined command as one store with all values. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void nodesAnswerAsOneStore(long seed) throws Exception {
    other.partBytes = 20_000;
    try (RunningServer single = RunningServer.node(POOL, RemoteValues.NONE);
        ExecutorService threads = Executors.newFixedThreadPool(3)) {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String prefix = "client" + i + ":";
        Random random = new Random(31 * seed + i);
        clients.add(
            threads.submit(() -> {
              storm(single, prefix, random);
              return null;
            }));
      }
      for (Future<?> client : clients) {
        client.get();
      }
      TreeSet<String> keys = new TreeSet<>();
      single.store().eachMainKey(key -> keys.add(Text.of(key)));
      for (String key : keys) {
        assertThat(content(server.store(), other.store(), key))
            .as(key)
            .isEqualTo(content(single.store(), single.store(), key));
      }
      server.store().eachMainKey(key -> assertThat(keys).contains(Text.of(key)));
      other.store().eachMainKey(key -> assertThat(keys).contains(Text.of(key)));
      assertThat(server.server().stats().remoteHits()).isPositive();
    }
  }

  private static String content(ObjectStore first, ObjectStore second, String key) {
    byte[] bytes = Text.bytes(key);
    ObjectStore store = first.length(bytes) < 0 ? second : first;
    return store.expiresAt(bytes) + " " + Arrays.hashCode(bytes(store, bytes));
  }

  private static byte[] bytes(ObjectStore store, byte[] key) {
    try (ValueReader reader = store.open(key)) {
      if (reader == null) {
        return new byte[0];
      }
      byte[] bytes = new byte[(int) reader.length()];
      for (int at = 0; at < bytes.length; ) {
        ByteBuffer piece = reader.piece(at, bytes.length - at);
        int count = piece.remaining();
        piece.get(bytes, at, count);
        at += count;
      }
      return bytes;
    }
  }

  private void storm(RunningServer single, String prefix, Random random) throws IOException {
    try (RawClient nodes = client();
        RawClient one = new RawClient(single.port())) {
      for (int batch = 0; batch < Histories.times(25); batch++) {
        List<String[]> commands = new ArrayList<>();
        for (int i = random.nextInt(30); i >= 0; i--) {
          commands.add(command(prefix, random));
        }
        // The server does not read commands while replies to others wait.
        CompletableFuture<Void> sent =
            CompletableFuture.allOf(send(nodes, commands), send(one, commands));
        for (String[] command : commands) {
          assertThat(nodes.reply()).as(command[0]).isEqualTo(one.reply());
        }
        sent.join();
        for (int i = 0; i < 5; i++) {
          move(Text.bytes(prefix + random.nextInt(12)));
        }
      }
    }
  }

  private static CompletableFuture<Void> send(RawClient client, List<String[]> commands) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            for (String[] command : commands) {
              client.send(command);
            }
          } catch (IOException closed) {
            // By this client.
          }
        },
        SENDERS);
  }

  /** Moves a value to the other node, with its expiry. */
  private void move(byte[] key) {
    long expiresAt = server.store().expiresAt(key);
    if (expiresAt < 0) {
      return;
    }
    byte[] bytes = bytes(server.store(), key);
    try (ValueWriter writer = other.store().write(key, bytes.length)) {
      writer.write(ByteBuffer.wrap(bytes));
      boolean ends = expiresAt != ObjectStore.NEVER;
      writer.commit(
          new SetOptions(
              SetOptions.Condition.ALWAYS,
              ends ? SetOptions.Expiry.AT : SetOptions.Expiry.NONE,
              expiresAt,
              false));
    }
    server.store().delete(key);
  }

  private static String[] command(String prefix, Random random) {
    String key = prefix + random.nextInt(12);
    int count = 1 + random.nextInt(5);
    String[] keys = new String[count];
    Arrays.setAll(keys, i -> prefix + random.nextInt(12));
    String value = Character.toString('a' + random.nextInt(26)).repeat(length(random));
    return switch (random.nextInt(16)) {
      case 0, 1 -> new String[] {"GET", key};
      case 2 -> with(keys, "MGET");
      case 3 -> new String[] {"GETRANGE", key, "" + random.nextInt(-9, 9), "" + random.nextInt(90)};
      case 4 -> with(keys, "EXISTS");
      case 5 -> new String[] {random.nextBoolean() ? "STRLEN" : "TYPE", key};
      case 6 -> with(keys, "EBB.MATCH");
      case 7 -> with(keys, "EBB.MGETRANGE", "" + random.nextInt(-9, 9), "" + random.nextInt(90));
      case 8 -> with(keys, "EBB.REQUEST", "BEGIN", "r" + random.nextInt(2), "KEYS");
      case 9 -> with(keys, random.nextBoolean() ? "DEL" : "UNLINK");
      case 10 -> new String[] {"SET", key, value, "NX", "GET"};
      case 11 -> new String[] {"SET", key, value, random.nextBoolean() ? "NX" : "XX"};
      case 12 -> new String[] {"SET", key, value, "XX", "KEEPTTL"};
      case 13 -> new String[] {"SET", key, value, "GET", "PXAT", "" + (4_000_000_000_000L + count)};
      case 14 -> new String[] {"PING", key};
      default -> new String[] {"SET", key, value};
    };
  }

  private static int length(Random random) {
    return random.nextInt(4) == 0 ? random.nextInt(300_000) : random.nextInt(2_000);
  }

  private static String[] with(String[] keys, String... words) {
    String[] all = Arrays.copyOf(words, words.length + keys.length);
    System.arraycopy(keys, 0, all, words.length, keys.length);
    return all;
  }

  /** Clients that leave in the middle, and another node that fails: nothing is lost. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void clientsThatLeaveLoseNothing(long seed) throws Exception {
    OtherNode unreliable = new OtherNode(POOL, seed, 5);
    RunningServer node = RunningServer.node(POOL, unreliable);
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        unreliable.set("k:" + i, "v".repeat(40_000 * i));
      }
      for (int i = 0; i < 3; i++) {
        Random random = new Random(31 * seed + i);
        clients.add(
            threads.submit(() -> {
              for (int round = 0; round < Histories.times(20); round++) {
                leave(node, random);
              }
              return null;
            }));
      }
      for (Future<?> client : clients) {
        client.get();
      }
    }
    Awaiting.until(() -> node.server().stats().connections() == 0);
    assertThat(node.server().stats().remoteFailures()).isPositive();
    Awaiting.until(() -> node.server().stats().memoryBytes() == 0);
    empty(node, unreliable);
  }

  private static void leave(RunningServer node, Random random) throws IOException {
    CompletableFuture<Void> sent;
    try (RawClient client = new RawClient(node.port())) {
      List<String[]> commands = new ArrayList<>();
      for (int i = random.nextInt(20); i >= 0; i--) {
        commands.add(command("k:", random));
      }
      sent = send(client, commands);
      for (int i = random.nextInt(commands.size()); i > 0; i--) {
        client.reply();
      }
    }
    sent.join();
  }
}
