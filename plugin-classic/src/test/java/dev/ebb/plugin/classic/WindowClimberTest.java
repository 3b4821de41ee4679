package dev.ebb.plugin.classic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WindowClimberTest {

  private final WindowClimber climber = new WindowClimber();

  @Test
  void movesOnWhileTheHitRatioDoesNotFall() {
    climber.restart(1_000);
    assertThat(sample(10_000, 0, 5_000, 10)).as("a 16th, downwards at first").isEqualTo(-62);
    assertThat(sample(10_000, 0, 5_000, 10)).as("as good: from the first step").isEqualTo(-62);
    assertThat(sample(10_000, 0, 4_900, 10)).as("worse: 2% less, and back").isEqualTo(61);
    assertThat(sample(10_000, 0, 4_950, 10)).as("better: 2% less again").isEqualTo(60);
    assertThat(sample(10_000, 0, 4_400, 10)).as("much worse: back").isEqualTo(-58);
    assertThat(sample(10_000, 0, 4_400, 10)).as("and from the first step").isEqualTo(-62);
  }

  @Test
  void isPatientInASmallCache() {
    climber.restart(100);
    assertThat(sample(1_000, 0, 500, 1)).as("upwards at first").isEqualTo(6);
    for (long step = 0; step < 500; step++) {
      sample(4_000, 0, 2_000, 1);
    }
    assertThat(sample(3_999, 0, 2_000, 1)).as("samples are up to four times as long").isZero();
  }

  @Test
  void comparesTheHitsOfEachEntryInALargeCache() {
    climber.restart(10_000);
    assertThat(sample(39_999, 400, 9_800, 200)).as("within a sample").isZero();
    climber.restart(10_000);
    assertThat(sample(40_000, 800, 9_800, 200)).as("300 times ln 4").isEqualTo(415);
    assertThat(sample(40_000, 2_000, 8_000, 2_000)).as("equal").isZero();
    assertThat(sample(40_000, 500, 8_000, 2_000)).as("300 times -ln 4").isEqualTo(-415);
    assertThat(sample(40_000, 1, 39_000, 300)).as("not below 2%").isEqualTo(-100);
    assertThat(sample(40_000, 100, 9_900, 100)).as("up to 2%").isEqualTo(100);
    assertThat(sample(40_000, 39_000, 0, 100))
        .as("no hits count as an eighth of 39")
        .isEqualTo(3_000);
  }

  /** Records a sample; returns the change at its end. */
  private long sample(long events, long inWindow, long inMain, long window) {
    for (long i = 0; i < events; i++) {
      if (i < inWindow) {
        climber.hit(true);
      } else if (i < inWindow + inMain) {
        climber.hit(false);
      } else {
        climber.miss();
      }
    }
    return climber.change(window);
  }
}
