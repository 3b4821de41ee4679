package dev.ebb.host.plugin.jar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

  @ParameterizedTest
  @CsvSource({
    "'>=1.0.0 & <2.0.0', 1.6.0, true",
    "'1.x', 1.6.0, true",
    "'>=1.5.0 & <2.0.0', 1.5.0, false",
    "'>=1.3.0 & <2.0.0', 1.5.0, true",
    "'~1.6.0', 1.6.0, false",
    "'>=1.6.1 & <2.0.0', 1.6.0, false"
  })
  void mayContainVersionsBeforeTheOneThatIsNeeded(String range, String needed, boolean before) {
    assertThat(SpiRange.allowsBefore(range, needed, List.of("1.0.0", "1.3.0", "1.5.0", "1.6.0")))
        .isEqualTo(before);
  }
}
