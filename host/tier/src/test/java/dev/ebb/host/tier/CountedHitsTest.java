package dev.ebb.host.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.OnStopChoice;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.testing.Awaiting;
import java.nio.file.Path;
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
  private long lookups;

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
    lookups += CHUNKS;
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
      client.call("EXISTS", "no chunk ends the last request");
      client.call("PING");
      Awaiting.until(() -> chains(server).requests() == 4 * PROMPTS);

      StoreStats counted = server.store().stats();
      assertThat(counted.hits()).isEqualTo(hits);
      assertThat(counted.misses()).isEqualTo(misses);
      assertThat(counted.sources().disk()).isBetween(hits / 3, hits - 1);
      assertThat(counted.sources().diskBytes()).isGreaterThan(33_000 * counted.sources().disk());
      assertThat(chains(server).hits()).isEqualTo(prefixHits);
      assertThat(chains(server).hitsElsewhere()).isBetween(prefixHits / 3, prefixHits - 1);
      assertThat(chains(server).lookups()).isEqualTo(lookups);
      DiskTierStats tier = server.tier().stats();
      assertThat(tier.hits()).isEqualTo(counted.sources().disk());
      assertThat(tier.misses()).isEqualTo(misses);
      assertThat(tier.latency().count()).isGreaterThanOrEqualTo(tier.hits());
      assertThat(tier.writeAmplification()).isGreaterThanOrEqualTo(1);
    }
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
      client.call("MGET", "key-0", "absent", "key-299");
      client.call("GETRANGE", "key-1", "0", "9");
      client.call("GET", "absent");
      client.call("EXISTS", "key-2", "absent");
      client.call("SET", "key-3", KnownValues.of("key-3", 2), "GET");
      StoreStats counted = server.store().stats();
      assertThat(received).isEqualTo(300);
      assertThat(counted.hits()).isEqualTo(received + 3);
      assertThat(counted.misses()).isEqualTo(2);
      assertThat(counted.sources().disk()).isBetween(150L, counted.hits() - 1);
      assertThat(counted.sources().nodes()).isZero();
      assertThat((byte[]) client.call("INFO"))
          .asString()
          .contains(
              "keyspace_hits:" + counted.hits() + "\r\n",
              "keyspace_misses:2\r\n",
              "disk_hits:" + counted.sources().disk() + "\r\n");
    }
  }
}
