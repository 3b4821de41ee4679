package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.RemovalCause;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener that only follows events knows which keys are resident. */
class KeyListenerTest {

  private static final long PART = 2 << 20;

  private static final class Follower implements KeyListener {

    final Set<String> resident = new TreeSet<>();
    final List<String> wrong = new ArrayList<>();
    int cleared;

    @Override
    public synchronized void stored(
        byte[] key, int group, @Nullable ObjectGroup kind, byte @Nullable [] parent) {
      if (!resident.add(text(key))) {
        wrong.add("stored twice: " + text(key));
      }
    }

    @Override
    public synchronized void removed(byte[] key, int group, RemovalCause cause) {
      if (!resident.remove(text(key))) {
        wrong.add("removed, but not stored: " + text(key));
      }
    }

    @Override
    public synchronized void cleared() {
      cleared++;
    }

    synchronized boolean knows(Set<String> keys) {
      return resident.equals(keys);
    }

    private static String text(byte[] key) {
      return new String(key, StandardCharsets.UTF_8);
    }
  }

  private static Set<String> chunks(StoreClient client) {
    Set<String> keys = new TreeSet<>(client.keys());
    keys.removeIf(key -> key.endsWith("metadata"));
    return keys;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void whatItFollowsIsWhatIsResident(int seed) {
    Random random = new Random(seed);
    TestClock clock = new TestClock();
    StoreOptions options = Stores.inlineOrThreaded(PART, seed);
    Follower follower = new Follower();
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, clock)) {
      StoreClient client = new StoreClient(store);
      store.keyListener(follower);
      int clears = 0;
      for (int step = 0; step < Histories.times(2_000); step++) {
        String tenant = random.nextBoolean() ? "m@1@0@" : "m#ebb.tenant=ann@1@0@";
        String stem = random.nextInt(3) == 0 ? "plain" : tenant + random.nextInt(80) + "@half";
        String key = stem + List.of("kv_bytes", "metadata", "").get(random.nextInt(3));
        switch (random.nextInt(20)) {
          case 0 -> store.delete(StoreClient.bytes(key));
          case 1 -> clock.millis += random.nextInt(10_000);
          case 2 -> store.sweep(100);
          case 3 -> {
            if (random.nextInt(50) == 0) {
              store.clear();
              clears++;
            }
          }
          default -> client.set(key, random.nextInt(random.nextInt(10) == 0 ? 3 << 20 : 90_000));
        }
      }
      while (store.sweep(1_000)) {
        // Until nothing is left that has expired.
      }
      // The policy may still evict ahead of demand.
      Awaiting.until(() -> follower.knows(chunks(client)));
      assertThat(follower.wrong).as("seed " + seed).isEmpty();
      assertThat(follower.cleared).isEqualTo(clears);
      assertThat(store.stats().evicted()).isPositive();
      store.clear();
      assertThat(follower.resident).isEqualTo(Collections.emptySet());
    }
  }
}
