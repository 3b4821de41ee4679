package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.host.testing.Histories;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random commands of several connections for models whose object groups are learned, stated and
 * configured anew all the time, against a map: a key has the value put last, or none, and what the
 * cache knows of chunks is what can be counted.
 */
class HybridStormTest {

  private static final int COMMANDS = Histories.times(2_000);
  private static final List<String> KINDS =
      List.of("full,state,full", "state,full", "full,window=2", "full,full,state", "full");
  private static final List<String> MODELS = List.of("a", "b", "c");

  private final TestClock clock = new TestClock();
  private final Map<String, byte[]> put = new HashMap<>();
  private final List<ValueReader> readers = new ArrayList<>();
  private int served;

  @ParameterizedTest
  @CsvSource({"1, false", "2, true", "3, false", "4, true"})
  void anyHistoryServesWhatWasPutLast(long seed, boolean admission) {
    Random random = new Random(seed);
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options(seed, admission), clock)) {
      if (admission) {
        store
            .site()
            .prepare(List.of(new PolicyCandidate("w", new TinyLfuPolicy(128))))
            .publish(() -> {});
      }
      List<StoreConnection> connections =
          Stream.generate(() -> store.connect("host")).limit(6).toList();
      for (int i = 0; i < COMMANDS; i++) {
        step(store, connections.get(random.nextInt(connections.size())), random);
        if (i % 20 == 0) {
          Stores.assertSound(store);
          store.parts().forEach(part -> part.place.locked(() -> assertPartsSound(part)));
        }
      }
      readers.forEach(ValueReader::close);
      connections.forEach(StoreConnection::close);
      assertThat(store.stats().evicted()).isPositive();
      assertThat(served).isGreaterThan(COMMANDS / 50);
      Stores.close(store);
    }
  }

  private static StoreOptions options(long seed, boolean threaded) {
    StoreOptions options =
        StoreOptions.of(128 << 10, Duration.ofMinutes(10), seed)
            .chains(ChainKeys.AUTO)
            .lookupLease(Duration.ofSeconds(2));
    return threaded
        ? options.threaded(new EvictionLimits(0.9, 0.85, Duration.ofSeconds(1)), 16)
        : options;
  }

  private void step(ObjectStore store, StoreConnection by, Random random) {
    String model = MODELS.get(random.nextInt(MODELS.size()));
    // Prompts of up to eight chunks, which branch off each other.
    List<Integer> prompt = new ArrayList<>();
    for (int chunk = 1; prompt.size() < 1 + random.nextInt(8); ) {
      prompt.add(chunk);
      chunk = 3 * chunk + random.nextInt(2);
    }
    int groups = 1 + random.nextInt(3);
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> {
        // A whole prompt, group by group, some of it out of turn.
        for (int group = 0; group < groups; group++) {
          for (int chunk : prompt) {
            by.exists(StoreClient.bytes(key(model, group, 0, chunk)));
          }
        }
        for (int group = 0; group < groups; group++) {
          for (int chunk : prompt) {
            if (random.nextInt(9) > 0) {
              set(store, by, key(model, group, 0, chunk), random);
            }
          }
        }
      }
      case 3, 4 -> {
        int from = random.nextInt(prompt.size());
        for (int group = 0; group < groups; group++) {
          for (int chunk : group == 0 ? prompt : prompt.subList(from, prompt.size())) {
            get(
                by.get(StoreClient.bytes(key(model, group, 0, chunk))),
                key(model, group, 0, chunk),
                random);
          }
        }
      }
      case 5 -> set(store, by, key(model, groups - 1, random.nextInt(2), prompt.getLast()), random);
      case 6 -> {
        String key = key(model, groups - 1, random.nextInt(2), prompt.getLast());
        store.delete(StoreClient.bytes(key));
        put.remove(key);
      }
      case 7 -> clock.millis += random.nextInt(300);
      case 8 -> store.sweep(20);
      case 9 -> {
        List<byte[]> keys =
            prompt.stream().map(chunk -> StoreClient.bytes(key(model, 0, 0, chunk))).toList();
        by.state(
            keys.getFirst(), ObjectGroups.parse("test", KINDS.get(random.nextInt(KINDS.size()))));
        int found = by.begin("r", RequestFacts.UNKNOWN, 5, keys);
        assertThat(found).isBetween(0, prompt.size());
        for (int chunk : prompt.subList(found, prompt.size())) {
          set(store, by, key(model, random.nextInt(groups), 0, chunk), random);
        }
        if (random.nextBoolean()) {
          by.end("r", 9, facts -> facts);
        }
      }
      case 10 -> {
        if (random.nextInt(20) == 0) {
          store
              .knownModels()
              .configure(
                  random.nextBoolean()
                      ? Map.of()
                      : Map.of(
                          model,
                          ObjectGroups.parse("test", KINDS.get(random.nextInt(KINDS.size())))));
        }
      }
      default -> {
        if (random.nextInt(3) == 0) {
          pin(store, key(model, 0, 0, prompt.getFirst()));
        } else if (!readers.isEmpty()) {
          readers.remove(random.nextInt(readers.size())).close();
        }
      }
    }
    while (readers.size() > 5) {
      readers.removeFirst().close();
    }
  }

  private static void pin(ObjectStore store, String key) {
    try {
      store.pin(StoreClient.bytes(key), "me", Duration.ofSeconds(1));
    } catch (UserError budget) {
      assertThat(budget).hasMessageContaining("pin budget");
    }
  }

  private static String key(String model, int group, int rank, int chunk) {
    HexFormat hex = HexFormat.of();
    String part = "02" + hex.toHexDigits((byte) rank);
    return model + "@" + part + part + "@" + group + "@" + hex.toHexDigits(chunk);
  }

  private void set(ObjectStore store, StoreConnection by, String key, Random random) {
    byte[] value = new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 6_000 : 900)];
    random.nextBytes(value);
    try (ValueWriter writer = by.write(StoreClient.bytes(key), value.length)) {
      writer.write(ByteBuffer.wrap(value));
      boolean kept = writer.commit(SetOptions.PLAIN).outcome() == SetResult.Outcome.STORED;
      if (kept) {
        put.put(key, value);
      } else {
        put.remove(key);
      }
    }
    assertThat(store.stats().usedBytes()).isLessThanOrEqualTo(128 << 10);
  }

  private void get(ValueReader reader, String key, Random random) {
    if (reader == null) {
      return;
    }
    served++;
    byte[] expected = put.get(key);
    assertThat(expected).as("value of %s", key).isNotNull();
    if (random.nextInt(10) == 0) {
      readers.add(reader);
    } else {
      assertThat(StoreClient.read(reader)).isEqualTo(expected);
    }
  }

  /** The cache knows the weight of each part as its objects have it. */
  private static void assertPartsSound(StorePartition part) {
    part.values.each(0, part.values.slots(), chunk -> assertPartsSound(chunk));
  }

  private static void assertPartsSound(StoredValue chunk) {
    CacheEntry entry = chunk.entry();
    ChunkParts parts = entry == null ? null : entry.parts();
    if (parts == null) {
      return;
    }
    int count = parts.groups().size();
    int[] units = new int[count];
    Stream.concat(chunk.isWithdrawn() ? Stream.of() : Stream.of(chunk), chunk.shards().stream())
        .filter(value -> value.key.labels().group() < count)
        .forEach(value -> units[value.key.labels().group()] += (int) value.units());
    int[] known = new int[count];
    Arrays.setAll(known, parts::weight);
    assertThat(known).as("parts of %s", parts.groups()).isEqualTo(units);
  }
}
