package dev.ebb.host.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.OnStopChoice;
import dev.ebb.host.disk.DiskCheck;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Awaiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of a server whose disk holds what memory has no room for. */
@Timeout(120)
class DiskStoreTest {

  /** Several times as many as memory has room for. */
  private static final int KEYS = 400;

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("tier");
  }

  private static void fill(TieredServer server, TestClient client, int keys) {
    for (int i = 0; i < keys; i++) {
      String key = "key-" + i;
      assertThat(client.call("SET", key, KnownValues.of(key, 1))).isEqualTo("OK");
      server.awaitRoom();
    }
    assertThat(server.tier().stats().shedValues()).isZero();
  }

  /** Returns a key that memory has evicted. */
  private static String evicted(TieredServer server, TestClient client) {
    fill(server, client, KEYS);
    return IntStream.range(0, KEYS)
        .mapToObj(i -> "key-" + i)
        .filter(key -> server.store().length(key.getBytes(StandardCharsets.UTF_8)) < 0)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void clientsNeitherReadNorReplaceWhatEbbKeepsForItself() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      server.tier().note(new byte[] {7});
      for (String key : List.of("\0\0ebb node 0", "\0\0ebb node 1")) {
        assertThat(client.get(key)).isNull();
        assertThat(client.call("EXISTS", key)).isEqualTo("0");
        client.call("SET", key, KnownValues.of(key, 1));
        client.call("SET", key, KnownValues.of(key, 2));
        client.call("DEL", key);
        client.call("DEL", key);
      }
      fill(server, client, KEYS);
      assertThat(server.tier().noted()).containsExactly(7);
    }
  }

  @Test
  void whatMemoryEvictsIsReadFromTheDisk() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      fill(server, client, KEYS);
      assertThat(server.store().stats().keys()).isLessThan(KEYS / 2);
      for (int i = 0; i < KEYS; i++) {
        String key = "key-" + i;
        // A value on its way to the disk is a miss.
        server.awaitRoom();
        assertThat(client.call("EXISTS", key)).isEqualTo("1");
        assertThat(KnownValues.version(key, client.get(key))).isEqualTo(1);
      }
      assertThat(client.call("EXISTS", "key-1", "other", "key-2")).isEqualTo("2");
      assertThat(client.get("other")).isNull();
      DiskTierStats stats = server.tier().stats();
      assertThat(stats.hits()).isPositive();
      assertThat(stats.misses()).isEqualTo(1);
      assertThat((byte[]) client.call("INFO", "disk"))
          .asString()
          .startsWith("# Disk\r\n")
          .contains("disk_in_use:1\r\n", "disk_hits:" + stats.hits() + "\r\n");
    }
  }

  @Test
  void aValueReadFromTheDiskIsInMemoryAndNotWrittenAgain() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      String key = evicted(server, client);
      client.get(key);
      assertThat(server.store().length(key.getBytes(StandardCharsets.UTF_8))).isPositive();
      long hits = server.tier().stats().hits();
      assertThat(KnownValues.version(key, client.get(key))).isEqualTo(1);
      assertThat(server.tier().stats().hits()).isEqualTo(hits);
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < KEYS; i++) {
          client.get("key-" + i);
        }
      }
      assertThat(server.tier().stats().disk().writtenValues()).isLessThanOrEqualTo(KEYS);
    }
  }

  @Test
  void commandsSeeBothTiers() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      String key = evicted(server, client);
      byte[] value = KnownValues.of(key, 1);
      String last = "key-" + (KEYS - 1);
      assertThat(client.call("STRLEN", key)).isEqualTo(Integer.toString(value.length));
      assertThat(client.call("TYPE", key)).isEqualTo("string");
      assertThat(client.call("TTL", key)).isEqualTo("-1");
      assertThat((byte[]) client.call("EBB.EXPLAIN", key))
          .asString()
          .isEqualTo("tier=disk bytes=" + value.length);
      assertThat(client.call("EBB.EXPLAIN", "absent")).isNull();
      assertThat(client.call("SET", key, "other", "NX")).isNull();
      assertThat(client.call("EBB.MATCH", key, last, "absent", last)).isEqualTo("2");
      assertThat((byte[]) client.call("GETRANGE", key, "10", "19"))
          .isEqualTo(Arrays.copyOfRange(value, 10, 20));
      List<?> all = (List<?>) client.call("MGET", "key-0", "absent", last);
      assertThat(all).hasSize(3);
      assertThat(KnownValues.version("key-0", (byte[]) all.get(0))).isEqualTo(1);
      assertThat(all.get(1)).isNull();
      assertThat(KnownValues.version(last, (byte[]) all.get(2))).isEqualTo(1);
    }
  }

  @Test
  void removedAndReplacedValuesNeverComeBack() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      String replaced = evicted(server, client);
      assertThat(client.call("SET", replaced, KnownValues.of(replaced, 2))).isEqualTo("OK");
      assertThat(KnownValues.version(replaced, client.get(replaced))).isEqualTo(2);
      for (int i = 0; i < KEYS; i += 2) {
        if (!replaced.equals("key-" + i)) {
          assertThat(client.call("DEL", "key-" + i)).isEqualTo("1");
        }
      }
      check(server, client, replaced);
    }
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      check(server, client, replaced(client));
    }
  }

  /** Returns the only key with version 2. */
  private static String replaced(TestClient client) {
    return IntStream.range(0, KEYS)
        .mapToObj(i -> "key-" + i)
        .filter(key -> KnownValues.version(key, client.get(key)) == 2)
        .findFirst()
        .orElseThrow();
  }

  private static void check(TieredServer server, TestClient client, String replaced) {
    for (int i = 0; i < KEYS; i++) {
      String key = "key-" + i;
      // A value on its way to the disk is a miss.
      server.awaitRoom();
      int expected = key.equals(replaced) ? 2 : i % 2 == 0 ? -1 : 1;
      assertThat(client.call("EXISTS", key)).isEqualTo(expected < 0 ? "0" : "1");
      assertThat(KnownValues.version(key, client.get(key))).as(key).isEqualTo(expected);
    }
  }

  @Test
  void aRemovalOfAllRemovesAllFromBothTiers() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      fill(server, client, KEYS);
      assertThat(client.call("FLUSHALL")).isEqualTo("OK");
      assertThat(server.tier().stats().disk().values()).isZero();
      fill(server, client, 1);
    }
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      assertThat(KnownValues.version("key-0", client.get("key-0"))).isEqualTo(1);
      for (int i = 1; i < KEYS; i++) {
        assertThat(client.get("key-" + i)).isNull();
      }
    }
  }

  @Test
  void valuesOnTheDiskExpire() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      assertThat(client.call("SET", "short", KnownValues.of("short", 1), "PX", "3000"))
          .isEqualTo("OK");
      assertThat(client.call("SET", "long", KnownValues.of("long", 1), "EX", "1000"))
          .isEqualTo("OK");
      fill(server, client, KEYS);
      Awaiting.until(() -> "0".equals(client.call("EXISTS", "short")));
      assertThat(client.get("short")).isNull();
      assertThat(client.call("EXISTS", "long")).isEqualTo("1");
      assertThat(Integer.parseInt((String) client.call("TTL", "long"))).isBetween(800, 1000);
      assertThat(KnownValues.version("long", client.get("long"))).isEqualTo(1);
      assertThat(Integer.parseInt((String) client.call("TTL", "long"))).isBetween(800, 1000);
      assertThat(client.call("EXPIRE", "long", "-1")).isEqualTo("1");
      assertThat(client.get("long")).isNull();
    }
  }

  @Test
  void aChunkAndItsMetadataAreOnTheDiskTogether() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      for (int i = 0; i < 200; i++) {
        String key = chunk(i);
        client.call("SET", key + "metadata", "metadata of " + i);
        client.call("SET", key + "kv_bytes", KnownValues.of(key, 1));
        server.awaitRoom();
      }
      checkChunks(client);
      assertThat(server.tier().stats().hits()).isPositive();
    }
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      checkChunks(client);
      assertThat(client.call("DEL", chunk(1) + "kv_bytes")).isEqualTo("1");
      assertThat(client.call("EXISTS", chunk(1) + "metadata")).isEqualTo("0");
    }
  }

  private static String chunk(int i) {
    return "model@1@0@%064x@".formatted(i);
  }

  private static void checkChunks(TestClient client) {
    for (int i = 0; i < 200; i++) {
      String key = chunk(i);
      assertThat(client.call("EXISTS", key + "metadata")).as(key).isEqualTo("1");
      assertThat(client.get(key + "metadata")).asString().isEqualTo("metadata of " + i);
      assertThat(KnownValues.version(key, client.get(key + "kv_bytes"))).isEqualTo(1);
    }
  }

  @Test
  void aStopSavesWhatIsInMemoryUnlessConfiguredOtherwise() {
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      fill(server, client, 10);
    }
    try (TieredServer server =
            TieredServer.of(TieredServer.config(file(), 64 << 20, OnStopChoice.DROP));
        TestClient client = server.client()) {
      for (int i = 0; i < 10; i++) {
        assertThat(KnownValues.version("key-" + i, client.get("key-" + i))).isEqualTo(1);
      }
      client.call("SET", "more", "value");
    }
    try (TieredServer server = TieredServer.of(file());
        TestClient client = server.client()) {
      assertThat(client.get("more")).isNull();
      assertThat(client.get("key-1")).isNotNull();
    }
  }

  @Test
  void theFileIsNotLargerThanConfigured() throws Exception {
    long size = 8 << 20;
    try (TieredServer server =
            TieredServer.of(TieredServer.config(file(), size, OnStopChoice.SAVE));
        TestClient client = server.client()) {
      fill(server, client, 2 * KEYS);
      assertThat(KnownValues.version("key-799", client.get("key-799"))).isEqualTo(1);
      assertThat(KnownValues.version("key-700", client.get("key-700"))).isEqualTo(1);
      assertThat(KnownValues.version("key-0", client.get("key-0"))).isEqualTo(-1);
      assertThat(server.tier().stats().disk().droppedValues()).isPositive();
    }
    assertThat(Files.size(file())).isLessThanOrEqualTo(size);
  }

  @Test
  void anotherFileIsRefused() throws Exception {
    Files.writeString(file(), "something else");
    assertThatThrownBy(() -> TieredServer.of(file()))
        .isInstanceOf(UserError.class)
        .hasMessageContaining(file().toString())
        .hasMessageContaining("name another file");
  }

  @Test
  void valuesAreInSeveralFiles() {
    List<Path> files = List.of(file(), folder.resolve("other"));
    for (List<Path> order : List.of(files, files.reversed())) {
      try (TieredServer server =
              TieredServer.of(TieredServer.config(order, 64 << 20, OnStopChoice.SAVE));
          TestClient client = server.client()) {
        if (order == files) {
          fill(server, client, KEYS);
          assertThat(client.call("DEL", "key-3")).isEqualTo("1");
        }
        for (int i = 0; i < KEYS; i++) {
          server.awaitRoom();
          int version = KnownValues.version("key-" + i, client.get("key-" + i));
          assertThat(version).isEqualTo(i == 3 ? -1 : 1);
        }
        assertThat((byte[]) client.call("INFO", "disk"))
            .asString()
            .contains("disk_files:2\r\n", "disk_files_in_use:2\r\n");
      }
    }
    for (Path file : files) {
      assertThat(DiskCheck.of(file, (done, regions) -> {}).values()).isPositive();
      assertThatThrownBy(() -> TieredServer.of(file))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("of 2 of its set");
    }
  }

  @Test
  void filesAreEncryptedWithAKey() throws Exception {
    Path key = Files.writeString(folder.resolve("key"), "0123456789abcdef".repeat(4));
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    DiskTierConfig config = TieredServer.config(List.of(file()), 64 << 20, OnStopChoice.SAVE, key);
    for (int start = 0; start < 2; start++) {
      try (TieredServer server = TieredServer.of(config);
          TestClient client = server.client()) {
        if (start == 0) {
          fill(server, client, KEYS / 2);
        }
        for (int i = 0; i < KEYS / 2; i++) {
          server.awaitRoom();
          assertThat(KnownValues.version("key-" + i, client.get("key-" + i))).isEqualTo(1);
        }
      }
    }
    assertThat(Files.readString(file(), StandardCharsets.ISO_8859_1)).doesNotContain("key-1");
    assertThatThrownBy(() -> TieredServer.of(file()))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("key-file");
  }
}
