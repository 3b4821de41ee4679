package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.stats.ChainStats;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of one chunk on several workers are evicted together. */
class ShardsTest {

  private static final int WORLD = 4;
  private static final int CHUNK = 60_000;

  /** 64 values of one block. */
  private static final long POOL = 4 << 20;

  private static final List<String> FORMATS =
      List.of("m@4@%2$d@%1$x@half", "m@04%2$02x04%2$02x@0@%1$08x@", "vllm@m@4@%2$d@%1$x");

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(
          device,
          StoreOptions.of(POOL, Duration.ofHours(1), 7)
              .chains(ChainKeys.AUTO)
              .lookupLease(Duration.ofSeconds(5)),
          clock);
  private final StoreConnection[] workers = new StoreConnection[WORLD];

  ShardsTest() {
    Arrays.setAll(workers, rank -> store.connect("host"));
  }

  @AfterEach
  void close() {
    Stores.close(store);
    device.close();
  }

  private static String key(int chunk, int rank) {
    return FORMATS.getFirst().formatted(chunk, rank);
  }

  private void set(String key, int rank) {
    byte[] bytes = new byte[CHUNK];
    Arrays.fill(bytes, (byte) (key.hashCode() + rank));
    write(rank, key + "kv_bytes", bytes);
    write(rank, key + "metadata", new byte[28]);
  }

  private void write(int rank, String key, byte[] bytes) {
    try (ValueWriter writer = workers[rank].write(StoreClient.bytes(key), bytes.length)) {
      writer.write(ByteBuffer.wrap(bytes));
      writer.commit(SetOptions.PLAIN);
    }
  }

  private void store(int chunk) {
    for (int rank = 0; rank < WORLD; rank++) {
      set(key(chunk, rank), rank);
    }
  }

  private boolean has(String key) {
    boolean there = store.length(StoreClient.bytes(key + "kv_bytes")) == CHUNK;
    assertThat(store.length(StoreClient.bytes(key + "metadata"))).isEqualTo(there ? 28 : -1);
    return there;
  }

  private void assertRead(int chunk, int rank) {
    String key = key(chunk, rank);
    ValueReader reader = workers[rank].get(StoreClient.bytes(key + "kv_bytes"));
    assertThat(reader).isNotNull();
    byte[] expected = new byte[CHUNK];
    Arrays.fill(expected, (byte) (key.hashCode() + rank));
    assertThat(StoreClient.read(reader)).isEqualTo(expected);
  }

  @Test
  void valueJoinsTheOthersOfItsChunkAfterTheFirstHasExpired() {
    for (int rank = 0; rank < 2; rank++) {
      write(rank, key(1, rank), new byte[CHUNK]);
    }
    store.expire(StoreClient.bytes(key(1, 0)), clock.millis + 1_000, end -> true);
    clock.millis += 2_000;
    write(2, key(1, 2), new byte[CHUNK]);
    assertThat(store.length(StoreClient.bytes(key(1, 0)))).isEqualTo(-1);
    for (int rank = 1; rank < 3; rank++) {
      assertThat(store.length(StoreClient.bytes(key(1, rank)))).isEqualTo(CHUNK);
    }
    Stores.assertSound(store);
  }

  @Test
  void chunkIsEvictedWithTheValuesOfAllRanks() {
    for (String format : FORMATS) {
      for (int chunk = 0; chunk < 40; chunk++) {
        for (int rank = 0; rank < WORLD; rank++) {
          set(format.formatted(chunk, rank), rank);
        }
        clock.millis += 2_000;
        store.sweep(10);
        int complete = 0;
        for (int before = 0; before <= chunk; before++) {
          Set<Boolean> there = new HashSet<>();
          for (int rank = 0; rank < WORLD; rank++) {
            there.add(has(format.formatted(before, rank)));
          }
          assertThat(there).as("chunk %d after %d", before, chunk).hasSize(1);
          complete += there.contains(true) ? 1 : 0;
        }
        assertThat(complete).isEqualTo(Math.min(chunk + 1, 64 / WORLD));
      }
      store.clear();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void randomOrderOfRanksLeavesNoHalfChunk(long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < 200; step++) {
      int chunk = random.nextInt(40);
      int first = random.nextInt(WORLD);
      for (int i = 0; i < WORLD; i++) {
        int rank = (first + i) % WORLD;
        if (workers[rank].exists(StoreClient.bytes(key(chunk, rank) + "metadata"))) {
          assertRead(chunk, rank);
        } else {
          set(key(chunk, rank), rank);
        }
      }
      for (int each = 0; each < 40; each++) {
        int there = 0;
        for (int rank = 0; rank < WORLD; rank++) {
          there += has(key(each, rank)) ? 1 : 0;
        }
        assertThat(there).isIn(0, WORLD);
      }
      clock.millis += random.nextInt(2_000);
      store.sweep(10);
    }
    assertThat(store.stats().evicted()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void deletedRankLeavesTheOthers(int deleted) {
    store(7);
    assertThat(store.stats().keys()).isEqualTo(2 * WORLD);
    assertThat(store.delete(StoreClient.bytes(key(7, deleted) + "kv_bytes"))).isTrue();
    store.delete(StoreClient.bytes(key(7, deleted) + "metadata"));
    for (int rank = 0; rank < WORLD; rank++) {
      assertThat(has(key(7, rank))).isEqualTo(rank != deleted);
    }
    assertThat(store.stats().keys()).isEqualTo(2 * WORLD - 2);
    Stores.assertSound(store);
    set(key(7, deleted), deleted);
    for (int rank = 0; rank < WORLD; rank++) {
      assertRead(7, rank);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void readerOutlivesItsReplacedRank(int replaced) {
    store(7);
    byte[] key = StoreClient.bytes(key(7, replaced) + "kv_bytes");
    byte[] other = StoreClient.bytes(key(7, 3) + "kv_bytes");
    ValueReader old = workers[replaced].get(key);
    ValueReader kept = workers[3].get(other);
    assertThat(old).isNotNull();
    assertThat(kept).isNotNull();
    write(replaced, key(7, replaced) + "kv_bytes", new byte[10]);
    Stores.assertSound(store);
    assertThat(store.length(key)).isEqualTo(10);
    assertThat(store.evict(other).whyNotMore()).contains("being read");
    byte[] expected = new byte[CHUNK];
    Arrays.fill(expected, (byte) (key(7, replaced).hashCode() + replaced));
    assertThat(StoreClient.read(old)).isEqualTo(expected);
    StoreClient.read(kept);
    Stores.assertSound(store);
    assertThat(store.evict(other).entries()).isEqualTo(1);
    assertThat(store.stats().keys()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void rankWithATimeToLiveExpiresAlone(int expiring) {
    store(7);
    store.expire(
        StoreClient.bytes(key(7, expiring) + "kv_bytes"), clock.wallMillis() + 100, any -> true);
    clock.millis += 200;
    store.sweep(100);
    for (int rank = 0; rank < WORLD; rank++) {
      assertThat(store.length(StoreClient.bytes(key(7, rank) + "kv_bytes")))
          .isEqualTo(rank == expiring ? -1 : CHUNK);
    }
  }

  @Test
  void idleChunkExpiresWithAllRanks() {
    store(7);
    clock.millis += Duration.ofHours(2).toMillis();
    store.sweep(100);
    assertThat(store.stats().keys()).isZero();
  }

  @Test
  void pinOfOneRankHoldsAll() {
    store(7);
    store.pin(StoreClient.bytes(key(7, 2) + "kv_bytes"), "me", Duration.ZERO);
    for (int chunk = 100; chunk < 140; chunk++) {
      store(chunk);
    }
    for (int rank = 0; rank < WORLD; rank++) {
      assertRead(7, rank);
    }
    assertThat(store.pins()).hasSize(1);
    assertThat(store.pins().getFirst().bytes()).isGreaterThanOrEqualTo(4L * CHUNK);
  }

  @Test
  void chainIsLearnedOnceForAllRanks() {
    for (int round = 0; round < 3; round++) {
      for (int rank = 0; rank < WORLD; rank++) {
        int found = 0;
        while (found < 5
            && workers[rank].exists(StoreClient.bytes(key(found, rank) + "metadata"))) {
          found++;
        }
        assertThat(found).isEqualTo(round == 0 ? 0 : 5);
      }
      for (int rank = 0; rank < WORLD; rank++) {
        for (int chunk = 0; chunk < 5; chunk++) {
          if (round == 0) {
            set(key(chunk, rank), rank);
          } else {
            assertRead(chunk, rank);
          }
        }
      }
    }
    for (StoreConnection worker : workers) {
      worker.close();
    }
    ChainStats stats = store.stats().chains();
    assertThat(stats.requests()).isEqualTo(3);
    assertThat(stats.hits()).isEqualTo(10);
    assertThat(stats.lookups()).isEqualTo(15);
    assertThat(stats.linked()).isEqualTo(4);
  }

  @Test
  void valuesOfAnyRankBelongToTheRequestOfTheirEngine() {
    int length = 4;
    StoreConnection[] others = new StoreConnection[WORLD];
    Arrays.setAll(others, rank -> store.connect("host"));
    StoreConnection[][] engines = {workers.clone(), others};
    // The lowest rank seen so far stands for all.
    store.exists(StoreClient.bytes(key(0, 0) + "metadata"));
    for (int rank = WORLD - 1; rank >= 0; rank--) {
      for (int engine = 0; engine < 2; engine++) {
        engines[engine][rank].exists(StoreClient.bytes(key(100 * engine, rank) + "metadata"));
      }
    }
    for (int chunk = 0; chunk < length; chunk++) {
      for (int rank = WORLD - 1; rank >= 0; rank--) {
        for (int engine = 0; engine < 2; engine++) {
          workers[rank] = engines[engine][rank];
          set(key(100 * engine + chunk, rank), rank);
        }
      }
    }
    for (StoreConnection[] engine : engines) {
      for (StoreConnection worker : engine) {
        worker.close();
      }
    }
    ChainStats stats = store.stats().chains();
    assertThat(stats.requests()).isEqualTo(2);
    assertThat(stats.lookups()).isEqualTo(2L * length);
    assertThat(stats.linked()).isEqualTo(2L * (length - 1));
  }

  @Test
  void metadataOfBytesThatFoundNoRoomIsNotKept() {
    String key = key(7, 0);
    write(0, key + "kv_bytes", new byte[(int) POOL + 1]);
    write(0, key + "metadata", new byte[28]);
    assertThat(store.exists(StoreClient.bytes(key + "metadata"))).isFalse();
    assertThat(store.stats().notAdmitted()).isEqualTo(2);
    set(key, 0);
    assertThat(has(key)).isTrue();
  }
}
