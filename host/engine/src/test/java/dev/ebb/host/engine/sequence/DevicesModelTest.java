package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.testing.Histories;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random histories on the host and two devices whose memory the JVM does not see. */
class DevicesModelTest {

  @ParameterizedTest(name = "seed {0}, {1} lane groups, failures {2}")
  @CsvSource({"1,1,false", "2,2,false", "3,1,true", "4,4,true"})
  void tokensBytesAndAccountsStayTogether(long seed, int groups, boolean fail) {
    run(seed, groups, fail, Histories.times(1_200));
  }

  @ParameterizedTest(name = "seed {0}, {1} lane groups, failures {2}")
  @CsvSource({"11,1,true", "12,2,true", "13,1,false"})
  @Tag("stress")
  void tokensBytesAndAccountsStayTogetherForLong(long seed, int groups, boolean fail) {
    run(seed, groups, fail, 200_000);
  }

  private static void run(long seed, int groups, boolean fail, int steps) {
    try (HostDevice host = new HostDevice()) {
      FailingDevice one = new FailingDevice("cuda:0", host);
      FailingDevice two = new FailingDevice("cuda:1", host);
      Consumer<Random> failures =
          random -> {
            switch (random.nextInt(20)) {
              case 0 -> one.failNext();
              case 1 -> two.failNext();
              default -> {}
            }
          };
      try (DevicesModel model =
          new DevicesModel(seed, groups, List.of(one, two, host), fail ? failures : null)) {
        model.run(steps);
        model.endAll();
        assertThat(model.counts().subList(0, 3)).as("seed %d", seed).allMatch(count -> count > 20);
        assertThat(model.counts().getLast() > 0).isEqualTo(fail);
      }
    }
  }
}
