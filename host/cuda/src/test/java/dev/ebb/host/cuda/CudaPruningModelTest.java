package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.sequence.PruningModel;
import dev.ebb.host.testing.Histories;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random histories of sequences that drop tokens on two cards and the host. */
class CudaPruningModelTest {

  @ParameterizedTest(name = "seed {0}, {1} lane groups")
  @CsvSource({"1,1", "2,6", "3,2"})
  void everyLaneStoresWhatWasKeptAndNothingIsLost(long seed, int groups) {
    TestDriver.reset(2, 64 << 20);
    try (CudaDevice one = CudaDevice.open(0);
        CudaDevice two = CudaDevice.open(1);
        HostDevice host = new HostDevice();
        PruningModel model = new PruningModel(seed, groups, List.of(one, two, host))) {
      model.run(Histories.times(200));
      assertThat(model.counts().subList(0, 3)).as("seed %d", seed).allMatch(count -> count > 0);
      model.endAll();
    }
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.liveBytes(1)).isZero();
  }
}
