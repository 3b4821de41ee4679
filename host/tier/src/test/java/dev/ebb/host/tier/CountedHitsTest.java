package dev.ebb.host.tier;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.OnStopChoice;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.testing.Awaiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server counts is what its clients received, from memory and from the disk. */
@Timeout(120)
class CountedHitsTest {

  private static final int PROMPTS = 24;
  private static final int CHUNKS = 12;

  @TempDir private Path folder;

  private long hits;
  private long misses;
  private long prefixHits;

  /** Returns the key of a value of a chunk, as LMCache's in-process mode has it. */
  private static String key(int prompt, int chunk, String half) {
    return "model@1@0@%016x@half%s".formatted(1_000L * prompt + chunk, half);
  }

  private static String name(int prompt, int chunk) {
    return key(prompt, chunk, "kv_bytes");
  }

  /** Sends a prompt as an engine does: looks chunks up, reads what was found, stores the rest. */
  private void prompt(TieredServer server, TestClient client, int prompt) {
    int found = 0;
    while (found < CHUNKS
        && "1".equals(client.call("EXISTS", key(prompt, found, "metadata")))
        && "1".equals(client.call("EXISTS", name(prompt, found)))) {
      found++;
    }
    misses += found < CHUNKS ? 1 : 0;
    prefixHits += found;
    for (int i = 0; i < CHUNKS; i++) {
      String key = name(prompt, i);
      if (i < found) {
        assertThat(client.get(key(prompt, i, "metadata"))).hasSize(28);
        assertThat(KnownValues.version(key, client.get(key))).isEqualTo(1);
        hits++;
      } else {
        client.call("SET", key, KnownValues.of(key, 1));
        client.call("SET", key(prompt, i, "metadata"), new byte[28]);
        server.awaitRoom();
      }
    }
  }

  @Test
  void hitsAndPrefixHitsAreThoseOfTheClient() {
    try (TieredServer server = TieredServer.of(folder.resolve("tier"));
        TestClient client = server.client()) {
      IntStream.range(0, PROMPTS).forEach(i -> prompt(server, client, i));
      Random random = new Random(7);
      for (int i = 0; i < 3 * PROMPTS; i++) {
        prompt(server, client, random.nextInt(PROMPTS));
      }
      // A pause, as on a busy machine, may split a prompt that is learned from its lookups.
      Awaiting.until(() -> chains(server).hits() >= prefixHits * 9 / 10);

      StoreStats counted = server.store().stats();
      assertThat(counted.hits()).isEqualTo(hits);
      assertThat(counted.misses()).isEqualTo(misses);
      assertThat(counted.sources().disk()).isBetween(hits / 3, hits - 1);
      assertThat(counted.sources().diskBytes()).isGreaterThan(33_000 * counted.sources().disk());
      assertThat(chains(server).hits()).isLessThanOrEqualTo(prefixHits);
      assertThat(chains(server).hitsElsewhere()).isBetween(prefixHits / 4, prefixHits - 1);
      DiskTierStats tier = server.tier().stats();
      assertThat(tier.hits()).isEqualTo(counted.sources().disk());
      assertThat(tier.misses()).isEqualTo(misses);
      assertThat(tier.latency().count()).isGreaterThanOrEqualTo(tier.hits());
      // What is new is in memory until it is written.
      Awaiting.until(() -> server.tier().stats().writeAmplification() >= 1);
    }
  }

  @Test
  void prefixHitsOfStatedRequestsAreThoseOfTheirReplies() {
    try (TieredServer server = TieredServer.of(folder.resolve("tier"));
        TestClient client = server.client()) {
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < PROMPTS; i++) {
          state(server, client, i);
        }
      }
      assertThat(prefixHits).isEqualTo((long) PROMPTS * CHUNKS);
      assertThat(chains(server).requests()).isEqualTo(2 * PROMPTS);
      assertThat(chains(server).hits()).isEqualTo(prefixHits);
      assertThat(chains(server).hitsElsewhere()).isBetween(prefixHits / 3, prefixHits);
      assertThat(chains(server).lookups()).isEqualTo(2 * prefixHits);
      assertThat(server.store().stats().hits()).isEqualTo(prefixHits);
    }
  }

  /** Sends a prompt whose keys the client states. */
  private void state(TieredServer server, TestClient client, int prompt) {
    List<Object> begin = new ArrayList<>(List.of("EBB.REQUEST", "BEGIN", "r" + prompt, "KEYS"));
    IntStream.range(0, CHUNKS).forEach(i -> begin.add(name(prompt, i)));
    // A value on its way to the disk is a miss.
    server.awaitRoom();
    int found = Integer.parseInt((String) client.call(begin.toArray()));
    prefixHits += found;
    for (int i = 0; i < CHUNKS; i++) {
      String key = name(prompt, i);
      if (i < found) {
        assertThat(KnownValues.version(key, client.get(key))).isEqualTo(1);
      } else {
        client.call("SET", key, KnownValues.of(key, 1));
        client.call("SET", key(prompt, i, "metadata"), new byte[28]);
        server.awaitRoom();
      }
    }
    assertThat(client.call("EBB.REQUEST", "END", "r" + prompt)).isEqualTo("OK");
  }

  @Test
  void aHintReadsTheChunksOfARequestIntoMemory() {
    try (TieredServer server = TieredServer.of(folder.resolve("tier"));
        TestClient client = server.client()) {
      IntStream.range(0, PROMPTS).forEach(i -> state(server, client, i));
      List<Object> begin = new ArrayList<>(List.of("EBB.REQUEST", "BEGIN", "again", "KEYS"));
      IntStream.range(0, CHUNKS).forEach(i -> begin.add(name(0, i)));
      assertThat(inMemory(server)).isLessThan(CHUNKS);
      assertThat(client.call(begin.toArray())).isEqualTo(Integer.toString(CHUNKS));

      Object reply =
          client.call(
              "EBB.HINTS",
              "again",
              """
              {"protocol_version": "0.1", "message_id": "m", "actions": [
                {"action_id": "a", "action_type": "kv.prefetch", "action_version": "1.0",
                 "payload": {}}]}\
              """);

      assertThat(((List<?>) Objects.requireNonNull(reply)).getFirst()).asString().isNotEmpty();
      Awaiting.until(() -> inMemory(server) == CHUNKS);
    }
  }

  private static long inMemory(TieredServer server) {
    return IntStream.range(0, CHUNKS)
        .filter(i -> server.store().length(name(0, i).getBytes(StandardCharsets.UTF_8)) >= 0)
        .count();
  }

  private static ChainStats chains(TieredServer server) {
    return server.store().stats().chains();
  }

  /** A value that the policy does not keep is read from the disk again: each time is a hit. */
  @Test
  void plainValuesAreCountedOnceForEachReply() {
    try (TieredServer server =
            TieredServer.of(
                TieredServer.config(folder.resolve("tier"), 64 << 20, OnStopChoice.DROP));
        TestClient client = server.client()) {
      for (int i = 0; i < 300; i++) {
        client.call("SET", "key-" + i, KnownValues.of("key-" + i, 1));
        server.awaitRoom();
      }
      long received = 0;
      for (int i = 0; i < 300; i++) {
        received += client.get("key-" + i) == null ? 0 : 1;
      }
      List<?> both = (List<?>) requireNonNull(client.call("MGET", "key-0", "absent", "key-299"));
      received += both.stream().filter(Objects::nonNull).count();
      received +=
          ((byte[]) requireNonNull(client.call("GETRANGE", "key-1", "0", "9"))).length > 0 ? 1 : 0;
      client.call("GET", "absent");
      client.call("EXISTS", "key-2", "absent");
      client.call("SET", "key-3", KnownValues.of("key-3", 2), "GET");
      StoreStats counted = server.store().stats();
      assertThat(counted.hits()).isEqualTo(received);
      assertThat(counted.misses()).isEqualTo(300 + 5 - received);
      assertThat(counted.sources().disk()).isBetween(150L, counted.hits());
      assertThat(counted.sources().nodes()).isZero();
      assertThat((byte[]) client.call("INFO"))
          .asString()
          .contains(
              "keyspace_hits:" + counted.hits() + "\r\n",
              "keyspace_misses:" + counted.misses() + "\r\n",
              "disk_hits:" + counted.sources().disk() + "\r\n");
    }
  }
}
