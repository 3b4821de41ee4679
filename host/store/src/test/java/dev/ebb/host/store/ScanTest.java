package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScanTest {

  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(
          device, StoreOptions.of(16 << 20, Duration.ofHours(1), 17), TimeSource.SYSTEM);
  private final StoreClient client = new StoreClient(store);

  @AfterEach
  void close() {
    store.close();
    device.close();
  }

  @Test
  void keysAreTestedWithoutTheLock() {
    client.set("k", 100);
    ScanPage page =
        store.scan(
            0,
            10,
            key ->
                CompletableFuture.supplyAsync(() -> client.has("k"))
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join());
    assertThat(page.keys()).hasSize(1);
  }

  @Test
  void aPageOfLongKeysIsBounded() {
    String long100 = "k".repeat(100_000);
    for (int i = 0; i < 100; i++) {
      client.set(long100 + i, 1);
    }
    ScanPage page = store.scan(0, 1_000, key -> true);
    assertThat(page.keys()).hasSizeLessThan(40);
    assertThat(page.next()).isPositive();
    assertThat(client.keys()).hasSize(100);
  }
}
