package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.SetOptions.Condition;
import dev.ebb.host.store.SetOptions.Expiry;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.testing.Histories;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A listener that reads again what changed, and nothing else, knows the state of every value, and
 * one that drops what is outdated has only valid copies.
 */
class ChangeListenerTest {

  private static final long PART = 2 << 20;

  private static final class Dirty implements ChangeListener {

    /** Between the states of a value and of its metadata, each of which may be evicted. */
    private static final String BETWEEN = "(?<=null|]) ";

    private final Set<String> keys = new HashSet<>();

    /** The states of copies outside the store that are valid, as far as it reports. */
    private final Map<String, String> copies = new TreeMap<>();

    @Override
    public synchronized void outdated(byte[] mainKey) {
      copies.remove(new String(mainKey, StandardCharsets.UTF_8));
    }

    /** What is in the store again, or still, is what the copies are of; makes new copies. */
    synchronized void compareCopies(Map<String, String> actual) {
      copies.forEach((key, copy) -> {
        String[] parts = copy.split(BETWEEN);
        String[] now = actual.getOrDefault(key, copy).split(BETWEEN);
        for (int i = 0; i < parts.length; i++) {
          assertThat(now[i]).as("copy of %s", key).isIn(parts[i], "null");
        }
      });
      copies.putAll(actual);
    }

    @Override
    public synchronized void changed(byte[] mainKey) {
      assertThat(ChunkKeys.isMetadata(mainKey)).isFalse();
      keys.add(new String(mainKey, StandardCharsets.UTF_8));
    }

    synchronized boolean isEmpty() {
      return keys.isEmpty();
    }

    synchronized Set<String> take() {
      Set<String> taken = Set.copyOf(keys);
      keys.clear();
      return taken;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void whatItReadsAgainIsAllThatChanged(int seed) {
    Random random = new Random(seed);
    TestClock clock = new TestClock();
    AtomicLong versions = new AtomicLong();
    StoreOptions options = Stores.inlineOrThreaded(PART, seed);
    Dirty dirty = new Dirty();
    Map<String, String> known = new TreeMap<>();
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, clock)) {
      StoreClient client = new StoreClient(store);
      store.changeListener(dirty);
      store.versions(versions::incrementAndGet);
      for (int step = 0; step < Histories.times(2_000); step++) {
        String key = key(random);
        switch (random.nextInt(20)) {
          case 0 -> store.delete(StoreClient.bytes(key));
          case 1 -> clock.millis += random.nextInt(10_000);
          case 2 -> store.expire(StoreClient.bytes(key), clock.millis + 5_000, end -> true);
          case 3 -> store.deleteUpTo(StoreClient.bytes(key), random.nextLong(versions.get() + 1));
          case 4 -> {
            if (random.nextInt(50) == 0) {
              store.clear();
            }
          }
          case 5 -> compare(store, dirty, known, seed);
          default -> {
            long at = clock.millis + random.nextInt(20_000);
            Expiry expiry = random.nextInt(4) == 0 ? Expiry.AT : Expiry.NONE;
            int length =
                key.endsWith("metadata")
                    ? random.nextInt(300)
                    : random.nextInt(random.nextInt(10) == 0 ? 3 << 20 : 90_000);
            client.set(key, new byte[length], new SetOptions(Condition.ALWAYS, expiry, at, false));
          }
        }
      }
      compare(store, dirty, known, seed);
      assertThat(known).isNotEmpty();
      assertThat(store.stats().evicted()).isPositive();
      store.clear();
      compare(store, dirty, known, seed);
      assertThat(known).isEmpty();
      Stores.assertEmpty(store);
    }
  }

  private static String key(Random random) {
    String tenant = random.nextBoolean() ? "m@" : "m#ebb.tenant=ann@";
    String ranks = random.nextBoolean() ? "1@0@" : "2@" + random.nextInt(2) + "@";
    String stem = random.nextInt(3) == 0 ? "plain" : tenant + ranks + random.nextInt(60) + "@half";
    return stem + List.of("kv_bytes", "metadata", "").get(random.nextInt(3));
  }

  private static void compare(ObjectStore store, Dirty dirty, Map<String, String> known, int seed) {
    while (store.sweep(1_000)) {
      // Until nothing is left that has expired.
    }
    Map<String, String> actual = new TreeMap<>();
    do {
      for (String key : dirty.take()) {
        String state = state(store, key);
        if (state == null) {
          known.remove(key);
        } else {
          known.put(key, state);
        }
      }
      actual.clear();
      store.eachMainKey(key -> {
        String text = new String(key, StandardCharsets.UTF_8);
        actual.put(text, String.valueOf(state(store, text)));
      });
      // The policy's thread may have evicted values meanwhile.
    } while (!dirty.isEmpty());
    assertThat(known).as("seed " + seed).isEqualTo(actual);
    dirty.compareCopies(actual);
  }

  /** What a node would announce of a value: the value, and that of its metadata. */
  private static @Nullable String state(ObjectStore store, String mainKey) {
    byte[] key = StoreClient.bytes(mainKey);
    String main = one(store, key);
    String metadata = ChunkKeys.hasMetadata(key) ? one(store, ChunkKeys.metadataKey(key)) : null;
    return main == null && metadata == null ? null : main + " " + metadata;
  }

  private static @Nullable String one(ObjectStore store, byte[] key) {
    try (ValueReader reader = store.open(key)) {
      return reader == null
          ? null
          : "%d v%d until %d with %s"
              .formatted(
                  reader.length(),
                  reader.version(),
                  reader.expiresAt(),
                  Arrays.toString(reader.attachment()));
    }
  }

  @Test
  void keysOfAChunkLeadToEachOther() {
    byte[] main = StoreClient.bytes("m@1@0@abc@halfkv_bytes");
    byte[] metadata = StoreClient.bytes("m@1@0@abc@halfmetadata");
    byte[] plain = StoreClient.bytes("session");
    assertThat(ChunkKeys.mainKey(metadata)).isEqualTo(main);
    assertThat(ChunkKeys.metadataKey(main)).isEqualTo(metadata);
    assertThat(ChunkKeys.mainKey(main)).isSameAs(main);
    assertThat(ChunkKeys.mainKey(plain)).isSameAs(plain);
    assertThat(ChunkKeys.hasMetadata(plain)).isFalse();
    assertThat(ChunkKeys.isContentAddressed(main)).isTrue();
    assertThat(ChunkKeys.isContentAddressed(metadata)).isTrue();
    assertThat(ChunkKeys.isContentAddressed(StoreClient.bytes("0a".repeat(32) + "_m"))).isTrue();
    assertThat(ChunkKeys.isContentAddressed(plain)).isFalse();
  }
}
