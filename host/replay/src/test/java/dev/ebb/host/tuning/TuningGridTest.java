package dev.ebb.host.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TuningGridTest {

  private static final List<SettingValue> CURRENT =
      List.of(new SettingValue("a", 1.0, 1.0), new SettingValue("b", "x", "x"));

  private static List<String> shown(List<TuningGrid.Trial> trials) {
    return trials.stream().map(trial -> trial.spec().display()).toList();
  }

  @Test
  void allCombinationsAreTriedOnceAfterTheCurrentSettings() {
    TuningGrid grid =
        new TuningGrid(
            "p", List.of(SettingRange.parse("a=1,2,2.0"), SettingRange.parse("b=x,y")), CURRENT);

    assertThat(grid.size()).isEqualTo(6);
    assertThat(shown(grid.trials(64, 1)))
        .startsWith("p", "p(a=2, b=x)")
        .contains("p(a=1, b=y)", "p(a=2, b=y)")
        .doesNotContain("p(a=1, b=x)");
  }

  @Test
  void aLargeGridIsSampled() {
    List<SettingRange> ranges =
        IntStream.range(0, 40).mapToObj(i -> SettingRange.parse("s" + i + "=1,2,3,4")).toList();
    TuningGrid grid = new TuningGrid("p", ranges, List.of());

    assertThat(grid.size()).isEqualTo(Long.MAX_VALUE);
    assertThat(shown(grid.trials(50, 1))).hasSize(51).doesNotHaveDuplicates();
    assertThat(grid.trials(50, 1)).isEqualTo(grid.trials(50, 1)).isNotEqualTo(grid.trials(50, 2));
  }

  @Test
  void aSettingHasOneRange() {
    assertThatThrownBy(() ->
            new TuningGrid(
                "p", List.of(SettingRange.parse("a=1"), SettingRange.parse("a=2")), CURRENT))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("--set: 'a' is given twice");
  }
}
