package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplingTest {

  private static final int KEYS = 100_000;

  /** Keys are hashes, thus evenly spread. */
  private final long[] keys = new SplittableRandom(1).longs(KEYS).toArray();

  private static boolean isIn(Sampling sampling, long key) {
    return Sampling.place(key, sampling.salt()) < sampling.threshold();
  }

  private long[] sample(Sampling sampling) {
    return LongStream.of(keys).filter(key -> isIn(sampling, key)).toArray();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 0.5, 0.1, 0.01})
  void theSampleHasItsShareOfTheKeys(double rate) {
    double deviation = Math.sqrt(rate * (1 - rate) / KEYS);
    for (long salt = 1; salt < 100; salt += 2) {
      double share = (double) sample(new Sampling(rate, salt * 0x9E3779B97F4A7C15L)).length / KEYS;
      assertThat(share).isCloseTo(rate, within(5 * deviation + 1e-9));
    }
  }

  @Test
  void aSmallerSampleIsPartOfALargerOne() {
    for (long key : sample(new Sampling(0.01, 12_345))) {
      assertThat(isIn(new Sampling(0.02, 12_345), key)).isTrue();
    }
  }

  @Test
  void anotherSaltGivesAnIndependentSample() {
    Sampling other = new Sampling(0.1, 0x51ED270B7A3C5F1DL);
    long[] first = sample(new Sampling(0.1, 0x2545F4914F6CDD1DL));
    long both = LongStream.of(first).filter(key -> isIn(other, key)).count();
    assertThat((double) both / first.length).isCloseTo(0.1, within(0.02));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 0.25, 1.0 / 1024})
  void theGroupsDivideTheSampleEvenly(double rate) {
    Sampling sampling = new Sampling(rate, 0x2545F4914F6CDD1DL);
    long[] sample = sample(sampling);
    int[] sizes = new int[Sampling.GROUPS];
    for (long key : sample) {
      sizes[sampling.group(key)]++;
    }
    double each = (double) sample.length / Sampling.GROUPS;
    for (int size : sizes) {
      assertThat((double) size).isCloseTo(each, within(5 * Math.sqrt(each)));
    }
  }

  @Test
  void capacitiesAreScaledAndNeverZero() {
    Sampling sampling = new Sampling(0.125, 1);
    assertThat(sampling.scaled(8_000, 1)).isEqualTo(1_000);
    assertThat(sampling.scaled(8_000, Sampling.GROUPS)).isEqualTo(125);
    assertThat(sampling.scaled(1, Sampling.GROUPS)).isOne();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.1, 1.1, Double.NaN})
  void aRateIsAboveZeroAndAtMostOne(double rate) {
    assertThatThrownBy(() -> new Sampling(rate, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rate is " + rate);
  }

  @Test
  void aSaltIsOdd() {
    assertThatThrownBy(() -> new Sampling(0.5, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("salt 2");
  }
}
