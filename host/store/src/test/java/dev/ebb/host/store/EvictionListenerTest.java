package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.device.HostDevice;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What listeners receive of values that the policy evicts. */
class EvictionListenerTest {

  private static final int CHUNKS = 8;

  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(device, StoreOptions.of(1 << 20, Duration.ZERO, 1), new TestClock());
  private final StoreClient client = new StoreClient(store);

  @AfterEach
  void nothingIsLeft() {
    Stores.close(store);
    device.close();
  }

  private static String key(int chunk, int rank) {
    return "m@2@%d@%x@half@".formatted(rank, chunk);
  }

  @Test
  void chunksArePassedOnWithTheChunkBeforeAndAfterTheirChangeIsReported() {
    Map<String, EvictedValue> evicted = new HashMap<>();
    List<String> order = new ArrayList<>();
    store.changeListener(
        new ChangeListener() {
          @Override
          public void changed(byte[] mainKey) {
            order.add("changed " + text(mainKey));
          }
        });
    store.evictionListener(
        new EvictionListener() {
          @Override
          public boolean wants(EvictedValue value) {
            evicted.put(text(value.mainKey()), value);
            order.add("evicted " + text(value.mainKey()));
            return false;
          }
        });
    List<byte[]> prompt =
        IntStream.range(0, CHUNKS).mapToObj(i -> StoreClient.bytes(key(i, 0))).toList();
    StoreConnection connection = store.connect("a");
    assertThat(connection.begin("r", RequestFacts.UNKNOWN, -1, prompt)).isZero();
    for (int i = 0; i < CHUNKS; i++) {
      for (int rank = 0; rank < 2; rank++) {
        client.set(key(i, rank), 2_000);
      }
    }
    connection.end("r", -1);
    for (int i = 0; i < 1_000; i++) {
      client.set("other " + i, 4_000);
    }

    for (int i = 0; i < CHUNKS; i++) {
      for (int rank = 0; rank < 2; rank++) {
        EvictedValue value = requireNonNull(evicted.get(key(i, rank)));
        assertThat(value.depth()).isEqualTo(i);
        assertThat(value.bytes()).isEqualTo(2_000);
        assertThat(value.childrenSeen()).isEqualTo(i == CHUNKS - 1 ? 0 : 1);
        assertThat(value.parent() == null ? null : text(value.parent()))
            .isEqualTo(i == 0 ? null : key(i - 1, rank));
      }
    }
    for (String key : evicted.keySet()) {
      assertThat(order.lastIndexOf("changed " + key)).isLessThan(order.indexOf("evicted " + key));
    }
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }
}
