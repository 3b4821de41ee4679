package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.sequence.DevicesModel;
import dev.ebb.host.testing.Histories;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random histories of one engine on two cards and the host, with calls that fail. */
class CudaEngineModelTest {

  private static final int INVALID_VALUE = 1;
  private static final int OUT_OF_MEMORY = 2;
  private static final int LAUNCH_OUT_OF_RESOURCES = 701;

  @ParameterizedTest(name = "seed {0}, {1} lane groups, peers {2}")
  @CsvSource({"1,1,true", "2,2,false"})
  void tokensBytesAndAccountsStayTogether(long seed, int groups, boolean peers) {
    run(seed, groups, peers, Histories.times(800));
  }

  @ParameterizedTest(name = "seed {0}, {1} lane groups, peers {2}")
  @CsvSource({"3,1,true", "4,4,false"})
  @Tag("stress")
  void tokensBytesAndAccountsStayTogetherForLong(long seed, int groups, boolean peers) {
    run(seed, groups, peers, 40_000);
  }

  private static void run(long seed, int groups, boolean peers, int steps) {
    TestDriver.reset(2, 64 << 20);
    if (!peers) {
      TestDriver.forbidPeers();
    }
    try (CudaDevice one = CudaDevice.open(0);
        CudaDevice two = CudaDevice.open(1);
        HostDevice host = new HostDevice();
        DevicesModel model =
            new DevicesModel(
                seed, groups, List.of(one, two, host), CudaEngineModelTest::prepareFailure)) {
      model.run(steps);
      model.endAll();
      assertThat(model.counts()).as("seed %d", seed).allMatch(count -> count > 10);
      assertThat(one.lost() || two.lost()).isFalse();
    }
    assertThat(TestDriver.calls("cuMemcpyPeerAsync") > 0).isEqualTo(peers);
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.liveBytes(1)).isZero();
    assertThat(TestDriver.livePinned()).isZero();
  }

  private static void prepareFailure(Random random) {
    int nth = 1 + random.nextInt(3);
    switch (random.nextInt(60)) {
      case 0 -> TestDriver.fail("cuMemcpyHtoDAsync_v2", nth, INVALID_VALUE);
      case 1 -> TestDriver.fail("cuMemcpyDtoHAsync_v2", nth, INVALID_VALUE);
      case 2 -> TestDriver.fail("cuLaunchKernel", nth, LAUNCH_OUT_OF_RESOURCES);
      case 3 -> TestDriver.fail("cuEventRecord", nth, OUT_OF_MEMORY);
      case 4 -> TestDriver.fail("cuMemcpyPeerAsync", nth, OUT_OF_MEMORY);
      default -> {}
    }
  }
}
