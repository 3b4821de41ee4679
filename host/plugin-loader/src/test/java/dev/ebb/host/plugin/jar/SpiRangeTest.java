package dev.ebb.host.plugin.jar;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpiRangeTest {

  @ParameterizedTest
  @CsvSource({
    "0.1.0, '>=0.1.0 & <0.2.0'",
    "0.12.3-rc.1, '>=0.12.3-rc.1 & <0.13.0'",
    "1.4.2, '>=1.4.2 & <2.0.0'"
  })
  void requiresUpToTheNextVersionThatMayBreak(String version, String range) {
    assertThat(SpiRange.from(version)).isEqualTo(range);
  }
}
