package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.PoolModel;
import dev.ebb.host.pool.Pools;
import dev.ebb.host.testing.Histories;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random histories of pools on cards whose driver fails a call every now and then. */
class CudaPoolModelTest {

  private static final int INVALID_VALUE = 1;
  private static final int OUT_OF_MEMORY = 2;
  private static final int LAUNCH_OUT_OF_RESOURCES = 701;

  /** Where the second pool is; the first is on the first card. */
  enum Other {
    HOST,
    HOST_WITH_WORK_IN_THE_BACKGROUND,
    CARD_IN_REACH,
    CARD_OUT_OF_REACH;

    void prepareDriver() {
      TestDriver.reset(2, 64 << 20);
      if (this == HOST_WITH_WORK_IN_THE_BACKGROUND) {
        TestDriver.runOnWorker();
      } else if (this == CARD_OUT_OF_REACH) {
        TestDriver.forbidPeers();
      }
    }

    Device open() {
      return this == CARD_IN_REACH || this == CARD_OUT_OF_REACH
          ? CudaDevice.open(1)
          : new HostDevice();
    }
  }

  @ParameterizedTest
  @EnumSource
  void noBlockIsLostDoubledOrLeakedThoughCallsFail(Other other) {
    run(other, 1, Histories.times(8_000));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("stress")
  void noBlockIsLostDoubledOrLeakedInAMillionSteps(Other other) {
    run(other, 2, 250_000);
  }

  private static void run(Other other, long seed, int steps) {
    other.prepareDriver();
    try (Device card = CudaDevice.open(0);
        Device second = other.open()) {
      TestDriver.fail("cuMemAlloc_v2", 1, OUT_OF_MEMORY);
      assertThatThrownBy(() -> Pools.of(card, 150)).isInstanceOf(DeviceException.class);
      PoolModel model =
          new PoolModel(seed, Pools.of(card, 150), Pools.of(second, 90), failures(other));
      assertThat(model.run(steps)).as("seed %d: the card is not lost", seed).isTrue();
      assertThat(model.failures()).as("seed %d: failed calls", seed).isGreaterThan(steps / 50);
      model.freeAll();
    }
    assertThat(TestDriver.calls("cuMemcpyPeerAsync") > 0).isEqualTo(other == Other.CARD_IN_REACH);
    assertThat(TestDriver.pageableCopies()).isZero();
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.liveBytes(1)).isZero();
    assertThat(TestDriver.livePinned()).isZero();
  }

  /** Prepares a failure before one step in ten, of the next call of its kind or one soon after. */
  private static Consumer<Random> failures(Other other) {
    return random -> {
      int nth = 1 + random.nextInt(3);
      switch (random.nextInt(60)) {
        case 0 -> TestDriver.fail("cuMemcpyHtoDAsync_v2", nth, INVALID_VALUE);
        case 1 -> TestDriver.fail("cuMemcpyDtoHAsync_v2", nth, INVALID_VALUE);
        case 2 -> TestDriver.fail("cuLaunchKernel", nth, LAUNCH_OUT_OF_RESOURCES);
        case 3 -> TestDriver.fail("cuLaunchKernel", nth, OUT_OF_MEMORY);
        case 4 -> TestDriver.fail("cuEventRecord", nth, OUT_OF_MEMORY);
        case 5 -> {
          if (other == Other.CARD_IN_REACH) {
            TestDriver.fail("cuMemcpyPeerAsync", nth, OUT_OF_MEMORY);
          }
        }
        default -> {}
      }
    };
  }
}
