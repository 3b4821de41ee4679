package dev.ebb.host.units;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PluralTest {

  @ParameterizedTest
  @CsvSource({"0, 0 policies", "1, 1 policy", "2, 2 policies", "-1, -1 policies"})
  void onlyOneIsSingular(long number, String text) {
    assertThat(Plural.of(number, "policy", "policies")).isEqualTo(text);
  }

  @Test
  void thousandsAreSeparated() {
    assertThat(Plural.of(1_234_567, "block", "blocks")).isEqualTo("1,234,567 blocks");
  }
}
