package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.KeyParser;
import dev.ebb.host.store.key.Models;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.value.HeapCharge;
import dev.ebb.host.store.value.ObjectMemory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much of the heap a full pool takes, by what its entries are charged. */
class HeapChargeTest {

  private static final long POOL = 8L << 30;

  @ParameterizedTest
  @CsvSource({
    // heap in MiB, bytes of the key
    "512, 1",
    "512, 100",
    "512, 5000",
    "512, 1000000",
    "4096, 1",
    "4096, 1000000",
    "65536, 1"
  })
  void aPoolFullOfOneKindOfEntryTakesAtMostItsPartOfTheHeap(long heapMebibytes, int keyBytes) {
    long heap = heapMebibytes << 20;
    long units = HeapCharge.of(POOL, heap).units(key(keyBytes), 1);
    long entries = POOL / ObjectMemory.UNIT_BYTES / units;
    assertThat(entries).isPositive();
    assertThat(entries * (HeapCharge.ENTRY_BYTES + keyBytes)).isLessThanOrEqualTo(heap * 6 / 10);
  }

  @Test
  void aLargeValueIsChargedWhatItTakesOfThePool() {
    HeapCharge charge = HeapCharge.of(POOL, 2L << 30);
    ObjectKey key = key(40);
    for (long length : new long[] {10_000, 64_000, 1_000_000}) {
      assertThat(charge.units(key, length)).isEqualTo(HeapCharge.poolUnits(key, length));
    }
  }

  @Test
  void withoutALimitTheHeapIsNotCounted() {
    assertThat(HeapCharge.of(POOL, Long.MAX_VALUE).units(key(1), 1)).isOne();
  }

  /** So small is the heap that a value of one byte is charged whole blocks. */
  @Test
  void valuesAndAttachmentsAreReadAsTheyWereWrittenWhateverTheyAreCharged() {
    StoreOptions options = StoreOptions.of(64L << 20, Duration.ZERO, 1).heap(200_000);
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, TimeSource.SYSTEM)) {
      StoreClient client = new StoreClient(store);
      for (int i = 0; i < 500; i++) {
        String chunk = "model@1@0@%04x@".formatted(i);
        if (i % 2 == 0) {
          set(client, chunk + "metadata", "facts " + i);
          set(client, chunk + "kv_bytes", "bytes " + i);
        } else {
          set(client, chunk + "kv_bytes", "bytes " + i);
          set(client, chunk + "metadata", "facts " + i);
        }
        assertThat(client.get(chunk + "kv_bytes")).isEqualTo(StoreClient.bytes("bytes " + i));
        assertThat(client.get(chunk + "metadata")).isEqualTo(StoreClient.bytes("facts " + i));
      }
      assertThat(store.stats().keys()).isBetween(2L, 400L);
      client.keys().forEach(key -> store.delete(StoreClient.bytes(key)));
      Stores.assertEmpty(store);
    }
  }

  private static void set(StoreClient client, String key, String value) {
    client.set(key, StoreClient.bytes(value), SetOptions.PLAIN);
  }

  private static ObjectKey key(int bytes) {
    byte[] key = "k".repeat(bytes).getBytes(StandardCharsets.UTF_8);
    return new KeyParser(1, tenant -> 0, List.of(), ChainKeys.OFF, new Models(Map.of())).parse(key);
  }
}
