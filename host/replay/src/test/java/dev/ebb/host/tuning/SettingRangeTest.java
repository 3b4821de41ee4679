package dev.ebb.host.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UserError;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingRangeTest {

  private static List<String> around(Object value, String... choices) {
    return SettingRange.around(new SettingValue("key", value, value), List.of(choices))
        .map(SettingRange::values)
        .orElse(List.of());
  }

  @Test
  void numbersAreScaled() {
    assertThat(around(60.0)).containsExactly("15", "30", "60", "120", "240");
    assertThat(around(0.1)).containsExactly("0.025", "0.05", "0.1", "0.2", "0.4");
    assertThat(around(2L)).containsExactly("1", "2", "4", "8");
    assertThat(around("90 s")).containsExactly("22500 ms", "45 s", "90 s", "3 min", "6 min");
    assertThat(around("64 MiB"))
        .containsExactly("16 MiB", "32 MiB", "64 MiB", "128 MiB", "256 MiB");
  }

  @Test
  void flagsAndChoicesHaveAllTheirValues() {
    assertThat(around(true)).containsExactly("true", "false");
    assertThat(around("none", "none", "dynamic")).containsExactly("none", "dynamic");
  }

  @Test
  void zerosAndTextsHaveNone() {
    assertThat(around(0L)).isEmpty();
    assertThat(around(0.0)).isEmpty();
    assertThat(around("online")).isEmpty();
    assertThat(around("0 s")).isEmpty();
  }

  @Test
  void aRangeIsParsed() {
    assertThat(SettingRange.parse("horizon = 10 s, 1 h"))
        .isEqualTo(new SettingRange("horizon", List.of("10 s", "1 h")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "bonus", "=1", "bonus=", "bonus=1,,2"})
  void aWrongRangeIsRefused(String text) {
    assertThatThrownBy(() -> SettingRange.parse(text))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("--set: '" + text + "'")
        .hasMessageContaining("bonus=10,60,600");
  }
}
