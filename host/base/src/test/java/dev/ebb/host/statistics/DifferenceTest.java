package dev.ebb.host.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DifferenceTest {

  @Test
  void partsOfOneSizeMakeThePairedInterval() {
    Difference difference =
        Difference.of(new double[] {0, 0, 10, 0, 0}, new double[] {100, 100, 100, 100, 100});

    // The mean is 0.02, its standard error 0.02, and t for four degrees of freedom 2.776.
    assertThat(difference.points()).isCloseTo(0.02, within(1e-12));
    assertThat(difference.margin()).isCloseTo(2.776 * 0.02, within(1e-12));
    assertThat(difference.moreThanChance()).isFalse();
  }

  @Test
  void aGainInProportionToTheSizeIsNoChance() {
    Difference difference =
        Difference.of(new double[] {-1, -7, -2, -3, -4}, new double[] {10, 70, 20, 30, 40});

    assertThat(difference.points()).isCloseTo(-0.1, within(1e-12));
    assertThat(difference.margin()).isCloseTo(0, within(1e-12));
    assertThat(difference.moreThanChance()).isTrue();
  }

  @Test
  void fewPartsSayNothingOfChance() {
    for (int parts = 1; parts < Difference.FEWEST_PARTS; parts++) {
      double[] gains = new double[parts];
      double[] sizes = new double[parts];
      Arrays.fill(gains, 5);
      Arrays.fill(sizes, 10);
      Difference difference = Difference.of(gains, sizes);

      assertThat(difference.points()).isEqualTo(0.5);
      assertThat(difference.margin()).isNaN();
      assertThat(difference.moreThanChance()).isFalse();
    }
  }

  @Test
  void theBandHoldsTheTruth19TimesIn20() {
    Random random = new Random(1);
    int held = 0;
    for (int i = 0; i < 4_000; i++) {
      double[] gains = new double[16];
      double[] sizes = new double[16];
      for (int part = 0; part < 16; part++) {
        sizes[part] = 80 + 40 * random.nextDouble();
        gains[part] = sizes[part] * 0.1 + random.nextGaussian();
      }
      Difference difference = Difference.of(gains, sizes);
      held += Math.abs(difference.points() - 0.1) <= difference.margin() ? 1 : 0;
    }
    assertThat(held / 4_000.0).isCloseTo(0.95, within(0.015));
  }
}
