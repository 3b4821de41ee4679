package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.testing.Histories;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random histories of sequences that drop tokens. */
class PruningModelTest {

  @ParameterizedTest(name = "seed {0}, {1} lane groups")
  @CsvSource({"1,1", "2,2", "3,6", "4,3", "5,1"})
  void everyLaneStoresWhatWasKeptAndNothingIsLost(long seed, int groups) {
    run(seed, groups, Histories.times(1_200));
  }

  @ParameterizedTest(name = "seed {0}, {1} lane groups")
  @CsvSource({"6,1", "7,2", "8,6"})
  @Tag("stress")
  void everyLaneStoresWhatWasKeptAndNothingIsLostForLong(long seed, int groups) {
    run(seed, groups, 100_000);
  }

  private static void run(long seed, int groups, int steps) {
    try (HostDevice host = new HostDevice();
        PruningModel model =
            new PruningModel(seed, groups, List.of(new FailingDevice("other", host), host))) {
      model.run(steps);
      assertThat(model.counts()).as("seed %d", seed).allMatch(count -> count > 5);
      model.endAll();
    }
  }
}
