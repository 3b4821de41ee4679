package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.store.ValueReader;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
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
    assertThat(client.client.call("EBB.LEASE", "none")).isEqualTo("$-1\r\n");
    assertThat(client.client.call("EBB.PLACE", "empty", "0")).isEqualTo("*0\r\n");
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
    assertThat(client.client.call("EBB.PLACE", "k", "5", "EX", "100")).startsWith("*1");
    assertThat(client.client.call("EBB.COMMIT", "k")).isEqualTo("+OK\r\n");
    assertThat(client.client.call("TTL", "k")).isEqualTo(":100\r\n");
    assertThat(client.client.call("EBB.PLACE", "l", "5", "PX", "1")).startsWith("*1");
    assertThat(client.client.call("EBB.COMMIT", "l")).isEqualTo("+OK\r\n");
    Awaiting.until(() -> server.store().length("l".getBytes(StandardCharsets.UTF_8)) < 0);
    assertThat(client.client.call("EBB.PLACE", "m", "5", "EX", "0")).startsWith("-ERR invalid");
    assertThat(client.client.call("EBB.PLACE", "m", "5", "NX")).startsWith("-ERR syntax");
    assertThat(client.client.call("EBB.ABORT", "m")).startsWith("-ERR 'm'");
  }

  @Test
  void mistakesAreErrorsAndChangeNothing() throws IOException {
    try (RawClient tcp = new RawClient(server.port())) {
      assertThat(tcp.call("EBB.MAP")).startsWith("-ERR").contains("ebb.server.unix-socket");
      assertThat(tcp.call("EBB.PLACE", "k", "5")).contains("ebb.server.unix-socket");
    }
    RawClient raw = client.client;
    assertThat(raw.call("EBB.COMMIT", "k")).startsWith("-ERR 'k'").contains("EBB.PLACE");
    assertThat(raw.call("EBB.RELEASE", "k")).startsWith("-ERR 'k'").contains("EBB.LEASE");
    assertThat(raw.call("EBB.PLACE", "k", "-1")).startsWith("-ERR").contains("'-1'");
    assertThat(raw.call("EBB.PLACE", "k", "999999999999")).contains("ebb.server.max-value");
    client.place("k", 5);
    assertThat(raw.call("EBB.PLACE", "k", "5")).contains("'k'", "EBB.COMMIT");
    assertThat(raw.call("EBB.ABORT", "k")).isEqualTo("+OK\r\n");
    raw.call("SET", "k", "value");
    lease("k");
    assertThat(raw.call("EBB.LEASE", "k")).contains("'k'", "EBB.RELEASE");
    assertThat(raw.call("EBB.RELEASE", "k")).isEqualTo("+OK\r\n");
    assertThat(server.store().stats().reading()).isZero();
  }

  @Test
  void theMetadataOfAChunkIsReadWithGet() throws IOException {
    String chunk = "llama@1@0@ab12@half@";
    RawClient raw = client.client;
    client.put(chunk + "kv_bytes", SharedMemoryProcess.value(VALUE));
    raw.call("SET", chunk + "metadata", "m".repeat(28));
    assertThat(raw.call("EBB.LEASE", chunk + "metadata")).startsWith("-ERR").contains("GET");
    assertThat(raw.call("EBB.PLACE", chunk + "metadata", "28")).startsWith("-ERR").contains("SET");
    assertThat(client.read(lease(chunk + "kv_bytes"))).isEqualTo(SharedMemoryProcess.value(VALUE));
  }

  @Test
  void reservationsAndLeasesHoldABoundedShareOfThePool() throws IOException {
    for (int i = 0; i < 12; i++) {
      client.place("k" + i, VALUE);
    }
    String refused = client.client.call("EBB.PLACE", "more", "" + VALUE);
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
    assertThat(placedInAFullPool(false)).isEqualTo("$-1\r\n");
    assertThat(placedInAFullPool(true)).startsWith("-OOM");
  }

  private String placedInAFullPool(boolean failsWhenFull) throws IOException {
    Path other = folder.resolve("other.sock");
    byte[] key = {'k'};
    try (RunningServer full = RunningServer.shared(1 << 20, other, folder, failsWhenFull);
        SharedMemoryClient second = new SharedMemoryClient(other)) {
      second.client.call("SET", "k", "v".repeat((1 << 20) - 65_536));
      try (ValueReader reader = requireNonNull(full.store().get(key))) {
        String reply = second.client.call("EBB.PLACE", "l", "300000");
        assertThat(reader.length()).isEqualTo((1 << 20) - 65_536);
        assertThat(full.store().stats().notAdmitted()).isEqualTo(1);
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
