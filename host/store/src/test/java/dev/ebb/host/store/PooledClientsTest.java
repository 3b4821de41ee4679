package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.chain.Links;
import dev.ebb.host.store.chain.ObservedRequest;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.value.StoredValue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several engines on one host, each with a pool of connections, store at the same time. */
class PooledClientsTest {

  private static final int CHUNKS = 8;

  private final TestClock clock = new TestClock();

  /** The prompt of each request. */
  private final IdentityHashMap<ObservedRequest, Integer> promptOf = new IdentityHashMap<>();

  private int prompts;
  private int right;
  private int wrong;
  private int none;

  /** An engine that looks prompts up, each through any of its connections, and stores them. */
  private final class Engine {
    private final ObjectStore store;
    private final String model;
    private final List<StoreConnection> pool = new ArrayList<>();
    private final Deque<String> storing = new ArrayDeque<>();
    private final boolean shuffled;

    private Engine(ObjectStore store, String model, int connections, boolean shuffled) {
      this.store = store;
      this.model = model;
      this.shuffled = shuffled;
      for (int i = 0; i < connections; i++) {
        pool.add(store.connect("host"));
      }
    }

    private void step(Random random) {
      StoreConnection by = pool.get(random.nextInt(pool.size()));
      if (!storing.isEmpty()) {
        set(store, by, storing.remove());
        return;
      }
      int prompt = prompts++;
      List<String> chunks = new ArrayList<>();
      for (int i = 0; i < CHUNKS; i++) {
        chunks.add("%s@1@0@%x@half".formatted(model, 100 * prompt + i));
      }
      assertThat(by.exists(StoreClient.bytes(chunks.getFirst() + "metadata"))).isFalse();
      promptOf.put(requireNonNull(Links.served(by)), prompt);
      if (shuffled) {
        Collections.shuffle(chunks, random);
      }
      storing.addAll(chunks);
    }
  }

  private void set(ObjectStore store, StoreConnection by, String chunk) {
    byte[] key = StoreClient.bytes(chunk + "kv_bytes");
    try (ValueWriter writer = by.write(key, 100)) {
      writer.write(ByteBuffer.wrap(new byte[100]));
      writer.commit(SetOptions.PLAIN);
    }
    @Nullable StoredValue[] found = new StoredValue[1];
    StorePartition part = store.parts().getFirst();
    part.values.each(
        0,
        part.values.slots(),
        value -> {
          if (Arrays.equals(value.key.bytes(), key)) {
            found[0] = value;
          }
        });
    ObservedRequest joined = Links.request(requireNonNull(found[0]));
    if (joined == null) {
      none++;
    } else if (requireNonNull(promptOf.get(joined)) == prompt(chunk)) {
      right++;
    } else {
      wrong++;
    }
  }

  private static int prompt(String chunk) {
    return Integer.parseInt(chunk.split("@", -1)[3], 16) / 100;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 4, false",
    "2, 4, false",
    "3, 4, false",
    "4, 4, false",
    "4, 1, false",
    "2, 4, true",
    "4, 8, true"
  })
  void chunksJoinTheRequestOfTheirPrompt(int engines, int connections, boolean models) {
    run(engines, connections, models, false);
    assertThat(wrong + none).isLessThan((right + wrong + none) / 15);
  }

  @ParameterizedTest
  @CsvSource({"2, false", "4, false", "4, true"})
  void inAnyOrderHalfOfThemDo(int engines, boolean models) {
    run(engines, 4, models, true);
    assertThat(right).isGreaterThan((right + wrong + none) / 2);
  }

  private void run(int engines, int connections, boolean models, boolean shuffled) {
    Random random = new Random(1);
    StoreOptions options = StoreOptions.of(64 << 20, Duration.ZERO, 7).chains(ChainKeys.AUTO);
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, clock)) {
      List<Engine> all = new ArrayList<>();
      for (int i = 0; i < engines; i++) {
        all.add(new Engine(store, "m" + (models ? i : 0), connections, shuffled));
      }
      for (int step = 0; step < 3_000; step++) {
        all.get(random.nextInt(engines)).step(random);
        clock.millis++;
        if (step % 50 == 0) {
          store.sweep(10);
        }
      }
      Stores.assertSound(store);
    }
  }
}
