package dev.ebb.host.units;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeSpanTest {

  @ParameterizedTest
  @CsvSource({
    "90s, PT1M30S",
    "10m, PT10M",
    "10 min, PT10M",
    "1.5h, PT1H30M",
    "2d, PT48H",
    "250ms, PT0.25S"
  })
  void aLengthOfTimeHasItsUnit(String text, Duration length) {
    assertThat(TimeSpan.parse(text)).contains(length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "m", "-1s", "1e3s", "10 weeks", "999999999999d", "1h30m"})
  void anythingElseIsNone(String text) {
    assertThat(TimeSpan.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 s",
    "0.0000000315, 31.5 ns",
    "0.00085, 850 us",
    "0.0123, 12.3 ms",
    "0.9996, 1 s",
    "12.34, 12.3 s",
    "59.96, 1 min",
    "125, 2 min 5 s",
    "3600, 1 h",
    "7385, 2 h 3 min",
    "273600, 3 d 4 h"
  })
  void twoUnitsAreEnough(double seconds, String text) {
    assertThat(TimeSpan.format(seconds)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s",
    "P1D, 1 d",
    "PT25H, 25 h",
    "PT90S, 90 s",
    "PT1.5S, 1500 ms",
    "PT0.000001S, 1000 ns"
  })
  void isWrittenWithoutRounding(Duration length, String text) {
    assertThat(TimeSpan.exact(length)).isEqualTo(text);
  }
}
