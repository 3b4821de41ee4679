package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.server.ClientLimits;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that clients move through the memory of the pool. */
class SharedMemoryCommandsTest {

  private static final long POOL = 8 << 20;
  private static final int VALUE = 300_000;

  @TempDir private Path folder;
  private RunningServer server;
  private SharedMemoryClient client;
  private Path socket;

  @BeforeEach
  void start() throws IOException {
    socket = folder.resolve("ebb.sock");
    server = RunningServer.shared(POOL, socket, folder, false);
    client = new SharedMemoryClient(socket);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aPlacedValueIsVisibleOnceItIsCommitted() throws IOException {
    byte[] value = SharedMemoryProcess.value(VALUE);
    List<SharedMemoryClient.Range> ranges = client.place("k", VALUE);
    client.write(ranges, value);
    try (RawClient tcp = new RawClient(server.port())) {
      assertThat(tcp.call("GET", "k")).isEqualTo("$-1\r\n");
      assertThat(client.client.call("EBB.COMMIT", "k")).isEqualTo("+OK\r\n");
      assertThat(tcp.call("GET", "k")).isEqualTo(bulk(value));
    }
  }

  @Test
  void memoryThatAClientHoldsIsItsOwnHoweverLongItTakes() throws IOException {
    client.close();
    server.close();
    Duration limit = Duration.ofSeconds(1);
    server =
        RunningServer.shared(
            POOL, socket, folder, false, new ClientLimits(100, POOL, limit, limit));
    client = new SharedMemoryClient(socket);
    byte[] value = SharedMemoryProcess.value(VALUE);
    List<SharedMemoryClient.Range> placed = client.place("k", VALUE);
    try (RawClient idle = new RawClient(server.port())) {
      idle.call("PING");
      assertThat(idle.closed()).isTrue();
    }
    client.write(placed, value);
    List<SharedMemoryClient.Range> other = client.place("other", VALUE);
    assertThat(client.client.call("EBB.COMMIT", "k")).isEqualTo("+OK\r\n");
    List<SharedMemoryClient.Range> leased = lease("k");
    assertThat(leased).isNotEqualTo(other);
    assertThat(client.client.call("EBB.ABORT", "other")).isEqualTo("+OK\r\n");
    try (RawClient idle = new RawClient(server.port())) {
      idle.call("PING");
      assertThat(idle.closed()).isTrue();
    }
    assertThat(client.read(leased)).isEqualTo(value);
    assertThat(client.client.call("EBB.RELEASE", "k")).isEqualTo("+OK\r\n");
    assertThat(client.client.closed()).isTrue();
  }

  @Test
  void aLeaseReadsWhatOthersHaveStoredWherePlacedValuesLie() throws IOException {
    byte[] value = SharedMemoryProcess.value(VALUE);
    List<SharedMemoryClient.Range> written = client.place("k", VALUE);
    client.write(written, value);
    client.client.call("EBB.COMMIT", "k");
    assertThat(lease("k")).isEqualTo(written);
    assertThat(client.read(lease(client, "k", true))).isEqualTo(value);

    for (int bytes : List.of(1, 1_000, 4_096, 30_000, 65_536, 1_000_000)) {
      String text = "x".repeat(bytes - 1) + "y";
      assertThat(client.client.call("SET", "small", text)).isEqualTo("+OK\r\n");
      assertThat(new String(client.read(lease(client, "small", true)), StandardCharsets.UTF_8))
          .isEqualTo(text);
    }
    assertThat(client.client.call("EBB.LEASE", "none")).isEqualTo("*1\r\n$-1\r\n");
    assertThat(client.client.call("EBB.PLACE", "KEYS", "empty", "0")).isEqualTo("*1\r\n*0\r\n");
    assertThat(client.client.call("EBB.COMMIT", "empty")).isEqualTo("+OK\r\n");
    assertThat(client.client.call("GET", "empty")).isEqualTo("$0\r\n\r\n");
  }

  @Test
  void aLeaseHoldsItsBytesThroughReplacementDeletionAndEviction() throws IOException {
    byte[] value = SharedMemoryProcess.value(VALUE);
    client.put("k", value);
    List<SharedMemoryClient.Range> ranges = lease("k");
    client.put("l", value);
    List<SharedMemoryClient.Range> kept = lease("l");
    client.client.call("SET", "k", "other");
    for (int i = 0; i < 100; i++) {
      client.put("filler" + i, new byte[VALUE]);
    }
    assertThat(server.store().stats().evicted()).isPositive();
    assertThat(client.read(ranges)).isEqualTo(value);
    assertThat(client.read(kept)).isEqualTo(value);
    assertThat(client.client.call("DEL", "l")).isEqualTo(":1\r\n");
    for (int i = 0; i < 100; i++) {
      client.put("filler" + i, new byte[VALUE]);
    }
    assertThat(client.read(kept)).isEqualTo(value);
    assertThat(client.client.call("EBB.RELEASE", "k")).isEqualTo("+OK\r\n");
    assertThat(client.client.call("EBB.RELEASE", "l")).isEqualTo("+OK\r\n");
    assertThat(server.store().stats().reading()).isZero();
  }

  @Test
  void whatIsNotCommittedIsFreed() throws IOException {
    client.place("k", VALUE);
    assertThat(client.client.call("EBB.ABORT", "k")).isEqualTo("+OK\r\n");
    assertThat(server.store().stats().usedBytes()).isZero();
    client.place("k", VALUE);
    client.client.call("SET", "l", "value");
    lease("l");
    try (SharedMemoryClient second = new SharedMemoryClient(socket)) {
      second.place("k", VALUE);
      assertThat(second.client.call("QUIT")).isEqualTo("+OK\r\n");
    }
    assertThat(client.client.call("EBB.COMMIT", "k")).isEqualTo("+OK\r\n");
    client.client.close();
    Awaiting.until(() -> server.store().stats().reading() == 0);
    assertThat(server.store().stats().keys()).isEqualTo(2);
  }

  @Test
  void timesToLiveBeginWithTheCommit() throws IOException {
    assertThat(client.client.call("EBB.PLACE", "EX", "100", "KEYS", "k", "5")).startsWith("*1");
    assertThat(client.client.call("EBB.COMMIT", "k")).isEqualTo("+OK\r\n");
    assertThat(client.client.call("TTL", "k")).isEqualTo(":100\r\n");
    assertThat(client.client.call("EBB.PLACE", "PX", "1", "KEYS", "l", "5")).startsWith("*1");
    assertThat(client.client.call("EBB.COMMIT", "l")).isEqualTo("+OK\r\n");
    Awaiting.until(() -> server.store().length("l".getBytes(StandardCharsets.UTF_8)) < 0);
    assertThat(client.client.call("EBB.PLACE", "EX", "0", "KEYS", "m", "5"))
        .startsWith("-ERR invalid");
    assertThat(client.client.call("EBB.PLACE", "NX", "1", "KEYS", "m", "5"))
        .startsWith("-ERR syntax");
    assertThat(client.client.call("EBB.ABORT", "m")).startsWith("-ERR 'm'");
  }

  @Test
  void mistakesAreErrorsAndChangeNothing() throws IOException {
    try (RawClient tcp = new RawClient(server.port())) {
      assertThat(tcp.call("EBB.MAP")).startsWith("-ERR").contains("ebb.server.unix-socket");
      assertThat(tcp.call("EBB.PLACE", "KEYS", "k", "5")).contains("ebb.server.unix-socket");
    }
    RawClient raw = client.client;
    assertThat(raw.call("EBB.COMMIT", "k")).startsWith("-ERR 'k'").contains("EBB.PLACE");
    assertThat(raw.call("EBB.RELEASE", "k")).startsWith("-ERR 'k'").contains("EBB.LEASE");
    assertThat(raw.call("EBB.PLACE", "KEYS", "k", "-1")).startsWith("-ERR").contains("'-1'");
    assertThat(raw.call("EBB.PLACE", "KEYS", "k", "999999999999")).contains("ebb.server.max-value");
    client.place("k", 5);
    assertThat(raw.call("EBB.PLACE", "KEYS", "k", "5")).contains("'k'", "EBB.COMMIT");
    assertThat(raw.call("EBB.ABORT", "k")).isEqualTo("+OK\r\n");
    raw.call("SET", "k", "value");
    lease("k");
    assertThat(raw.call("EBB.LEASE", "k")).contains("'k'", "EBB.RELEASE");
    assertThat(raw.call("EBB.RELEASE", "k")).isEqualTo("+OK\r\n");
    assertThat(server.store().stats().reading()).isZero();
  }

  @Test
  void severalKeysTakeOneCommand() throws IOException {
    RawClient raw = client.client;
    String placed = raw.call("EBB.PLACE", "EX", "100", "KEYS", "a", "" + VALUE, "b", "0", "c", "9");
    List<@Nullable List<SharedMemoryClient.Range>> ranges = SharedMemoryClient.values(placed);
    byte[] large = SharedMemoryProcess.value(VALUE);
    byte[] small = SharedMemoryProcess.value(9);
    client.write(requireNonNull(ranges.get(0)), large);
    client.write(requireNonNull(ranges.get(2)), small);
    assertThat(raw.call("EBB.COMMIT", "c", "a", "b")).isEqualTo("+OK\r\n");
    assertThat(raw.call("TTL", "c")).isEqualTo(":100\r\n");

    String leased = raw.call("EBB.LEASE", "c", "none", "a", "b");
    List<@Nullable List<SharedMemoryClient.Range>> held = SharedMemoryClient.values(leased);
    assertThat(client.read(requireNonNull(held.get(0)))).isEqualTo(small);
    assertThat(held.get(1)).isNull();
    assertThat(client.read(requireNonNull(held.get(2)))).isEqualTo(large);
    assertThat(held.get(3)).isEmpty();
    assertThat(server.store().stats().reading()).isEqualTo(3);
    assertThat(raw.call("EBB.RELEASE", "a", "b", "c")).isEqualTo("+OK\r\n");
    assertThat(server.store().stats().reading()).isZero();
  }

  @Test
  void packedRepliesHaveTheSameRanges() throws IOException {
    RawClient raw = client.client;
    byte[] large = SharedMemoryProcess.value(VALUE);
    client.put("a", large);
    client.put("empty", new byte[0]);
    String[] keys = {"EBB.LEASE", "a", "none", "empty"};
    List<@Nullable List<SharedMemoryClient.Range>> plain =
        SharedMemoryClient.values(raw.call(keys));
    assertThat(raw.call("EBB.RELEASE", "a", "empty")).isEqualTo("+OK\r\n");

    assertThat(raw.call("EBB.MAP", "OTHER")).startsWith("-ERR").contains("'OTHER'", "PACKED");
    assertThat(raw.call("EBB.LEASE", "none")).isEqualTo("*1\r\n$-1\r\n");
    assertThat(raw.call("EBB.MAP", "packed")).isEqualTo(raw.call("EBB.MAP", "PACKED"));
    assertThat(packed(raw, keys)).isEqualTo(plain);
    List<@Nullable List<SharedMemoryClient.Range>> placed =
        packed(raw, "EBB.PLACE", "KEYS", "b", "" + VALUE, "c", "9");
    client.write(requireNonNull(placed.get(0)), large);
    assertThat(raw.call("EBB.COMMIT", "b", "c")).isEqualTo("+OK\r\n");
    assertThat(raw.call("GET", "b")).isEqualTo(bulk(large));
    assertThat(raw.call("EBB.LEASE", "a")).startsWith("-ERR 'a'");
    raw.call("EBB.MAP");
    assertThat(lease("b")).isEqualTo(placed.get(0));
  }

  private static List<@Nullable List<SharedMemoryClient.Range>> packed(
      RawClient raw, String... command) throws IOException {
    LongBuffer numbers = numbers(raw.call(command));
    List<@Nullable List<SharedMemoryClient.Range>> values = new ArrayList<>();
    while (numbers.hasRemaining()) {
      long count = numbers.get();
      List<SharedMemoryClient.Range> ranges = new ArrayList<>();
      for (long i = 0; i < count; i++) {
        ranges.add(new SharedMemoryClient.Range(numbers.get(), (int) numbers.get()));
      }
      values.add(count < 0 ? null : ranges);
    }
    return values;
  }

  private static LongBuffer numbers(String packed) {
    byte[] bytes = packed.getBytes(StandardCharsets.ISO_8859_1);
    int header = packed.indexOf('\n') + 1;
    return ByteBuffer.wrap(bytes, header, bytes.length - 2 - header)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asLongBuffer();
  }

  @Test
  void aRefusedCommandOfSeveralKeysChangesNothing() throws IOException {
    RawClient raw = client.client;
    raw.call("SET", "a", "value");
    raw.call("SET", "b", "value");
    lease("b");
    assertThat(raw.call("EBB.LEASE", "a", "b")).startsWith("-ERR 'b'").contains("EBB.RELEASE");
    assertThat(raw.call("EBB.LEASE", "a", "a")).startsWith("-ERR 'a'").contains("twice");
    assertThat(server.store().stats().reading()).isEqualTo(1);
    assertThat(raw.call("EBB.RELEASE", "b", "a")).startsWith("-ERR 'a'").contains("EBB.LEASE");
    assertThat(raw.call("EBB.RELEASE", "b", "b")).startsWith("-ERR 'b'").contains("twice");
    assertThat(server.store().stats().reading()).isEqualTo(1);
    assertThat(raw.call("EBB.RELEASE", "b")).isEqualTo("+OK\r\n");

    long used = server.store().stats().usedBytes();
    String much = "" + 3_000_000;
    assertThat(raw.call("EBB.PLACE", "KEYS", "m", much, "n", much)).startsWith("-ERR");
    assertThat(raw.call("EBB.PLACE", "KEYS", "m", "5", "m", "5")).contains("'m'", "twice");
    assertThat(raw.call("EBB.PLACE", "KEYS", "m", "5", "n", "x")).contains("'x'");
    assertThat(raw.call("EBB.PLACE", "KEYS", "m", "5", "n")).startsWith("-ERR").contains("KEYS");
    assertThat(raw.call("EBB.PLACE", "m", "5", "n", "5")).startsWith("-ERR").contains("KEYS");
    assertThat(server.store().stats().usedBytes()).isEqualTo(used);
    client.place("m", VALUE);
    assertThat(raw.call("EBB.COMMIT", "m", "n")).startsWith("-ERR 'n'").contains("EBB.PLACE");
    assertThat(raw.call("EBB.ABORT", "m", "n")).startsWith("-ERR 'n'").contains("EBB.PLACE");
    assertThat(raw.call("EXISTS", "m")).isEqualTo(":0\r\n");
    assertThat(raw.call("EBB.ABORT", "m")).isEqualTo("+OK\r\n");
    assertThat(server.store().stats().usedBytes()).isEqualTo(used);
  }

  @Test
  void aConnectionHoldsABoundedNumberOfKeys() throws IOException {
    List<String> words = new ArrayList<>(List.of("EBB.PLACE", "KEYS"));
    for (int i = 0; i < SharedMemoryCommands.MOST_HELD; i++) {
      words.addAll(List.of("k" + i, "0"));
    }
    assertThat(client.client.call(words.toArray(String[]::new))).startsWith("*4096\r\n*0\r\n");
    assertThat(client.client.call("EBB.PLACE", "KEYS", "more", "0"))
        .startsWith("-ERR '1' more")
        .contains("'4096'", "EBB.COMMIT");
  }

  @Test
  void theMetadataOfAChunkIsReadWithGet() throws IOException {
    String chunk = "llama@1@0@ab12@half@";
    RawClient raw = client.client;
    client.put(chunk + "kv_bytes", SharedMemoryProcess.value(VALUE));
    raw.call("SET", chunk + "metadata", "m".repeat(28));
    assertThat(raw.call("EBB.LEASE", chunk + "metadata")).startsWith("-ERR").contains("GET");
    assertThat(raw.call("EBB.PLACE", "KEYS", chunk + "metadata", "28"))
        .startsWith("-ERR")
        .contains("SET");
    assertThat(client.read(lease(chunk + "kv_bytes"))).isEqualTo(SharedMemoryProcess.value(VALUE));
  }

  @Test
  void reservationsAndLeasesHoldABoundedShareOfThePool() throws IOException {
    for (int i = 0; i < 12; i++) {
      client.place("k" + i, VALUE);
    }
    String refused = client.client.call("EBB.PLACE", "KEYS", "more", "" + VALUE);
    assertThat(refused).startsWith("-ERR").contains("4 MiB", "release");
    client.client.call("SET", "l", "v".repeat(VALUE));
    assertThat(client.client.call("EBB.LEASE", "l")).startsWith("-ERR").contains("release");
    assertThat(server.store().stats().reading()).isZero();
    assertThat(client.client.call("INFO", "memory"))
        .contains("\r\nshared_memory_held:" + 12 * 5 * 65_536 + "\r\n");
    client.client.call("EBB.ABORT", "k0");
    lease("l");
  }

  @Test
  void aValueWithoutRoomIsAnsweredAsBySet() throws IOException {
    assertThat(placedInAFullPool(false)).isEqualTo("*1\r\n$-1\r\n");
    assertThat(placedInAFullPool(true)).startsWith("*1\r\n-OOM");
  }

  private String placedInAFullPool(boolean failsWhenFull) throws IOException {
    Path other = folder.resolve("other.sock");
    byte[] key = {'k'};
    try (RunningServer full = RunningServer.shared(1 << 20, other, folder, failsWhenFull);
        SharedMemoryClient second = new SharedMemoryClient(other)) {
      second.client.call("SET", "k", "v".repeat((1 << 20) - 65_536));
      try (ValueReader reader = requireNonNull(full.store().get(key))) {
        String reply = second.client.call("EBB.PLACE", "KEYS", "l", "300000");
        assertThat(second.client.call("EBB.PLACE", "KEYS", "m", "300000", "n", "9"))
            .startsWith(reply.replace("*1", "*2"))
            .endsWith(":9\r\n");
        assertThat(second.client.call("EBB.COMMIT", "n")).isEqualTo("+OK\r\n");
        second.client.call("EBB.MAP", "PACKED");
        assertThat(numbers(second.client.call("EBB.PLACE", "KEYS", "o", "300000")).get())
            .isEqualTo(failsWhenFull ? -2 : -1);
        assertThat(reader.length()).isEqualTo((1 << 20) - 65_536);
        assertThat(full.store().stats().notAdmitted()).isEqualTo(3);
        assertThat(second.client.call("EBB.ABORT", "l")).startsWith("-ERR");
        return reply;
      }
    }
  }

  @Test
  void anotherProcessThatIsKilledLeavesNothingBehind() throws IOException {
    byte[] ours = SharedMemoryProcess.value(500_000);
    client.put("ours", ours);
    Process process = SharedMemoryProcess.start(socket);
    try {
      assertThat(SharedMemoryProcess.firstLine(process)).isEqualTo("" + Arrays.hashCode(ours));
      assertThat(server.store().stats().reading()).isEqualTo(1);
      assertThat(client.client.call("GET", "half")).isEqualTo("$-1\r\n");
      assertThat(client.client.call("DEL", "ours")).isEqualTo(":1\r\n");
    } finally {
      process.destroyForcibly();
    }
    Awaiting.until(() -> server.store().stats().reading() == 0);
    Awaiting.until(() -> server.store().stats().usedBytes() == 5 * 65_536);
    assertThat(client.client.call("EXISTS", "half", "ours", "theirs")).isEqualTo(":1\r\n");
    assertThat(client.read(lease("theirs"))).isEqualTo(SharedMemoryProcess.value(300_000));
  }

  private List<SharedMemoryClient.Range> lease(String key) throws IOException {
    return lease(client, key, false);
  }

  private static List<SharedMemoryClient.Range> lease(
      SharedMemoryClient client, String key, boolean first) throws IOException {
    if (first) {
      client.client.call("EBB.RELEASE", key);
    }
    return SharedMemoryClient.ranges(client.client.call("EBB.LEASE", key));
  }

  private static String bulk(byte[] value) {
    return "$%d\r\n%s\r\n".formatted(value.length, new String(value, StandardCharsets.ISO_8859_1));
  }
}
