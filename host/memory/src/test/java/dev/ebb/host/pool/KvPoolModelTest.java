package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.testing.Histories;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KvPoolModelTest {

  private static final int STEPS = Histories.times(20_000);

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void noBlockIsLostDoubledOrLeaked(long seed) {
    try (HostDevice device = new HostDevice()) {
      PoolModel model =
          new PoolModel(seed, Pools.of(device, 150), Pools.of(device, 90), random -> {});
      assertThat(model.run(STEPS)).isTrue();
      assertThat(model.failures()).isZero();
      model.freeAll();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {5, 6})
  void callsThatADeviceRefusesChangeNothing(long seed) {
    try (HostDevice memory = new HostDevice()) {
      FailingDevice device = new FailingDevice("failing", memory);
      PoolModel model =
          new PoolModel(
              seed,
              Pools.of(device, 150),
              Pools.of(device, 90),
              random -> {
                if (random.nextInt(10) == 0) {
                  device.failNext();
                }
              });
      assertThat(model.run(STEPS / 4)).isTrue();
      assertThat(model.failures()).isPositive();
      model.freeAll();
    }
  }
}
