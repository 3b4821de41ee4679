package dev.ebb.host.config.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriorityScaleTest {

  @TempDir private Path home;

  private PriorityScale read(String text) {
    return Configs.of(home, text).orThrow().scheduler().priorities();
  }

  @Test
  void byDefaultALargerNumberIsMoreImportant() {
    assertThat(read("")).isEqualTo(PriorityScale.LARGER_FIRST);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 2147483647, 2147483647, 2147483647",
    "1, 2147483647, -2147483648, -2147483646",
    "1, 2147483647, 7, 7",
    "1, 10, 99, 11",
    "1, 10, -99, -9",
    "1, 0, 5, 1",
    "-1, 2147483647, 0, 1",
    "-1, 2147483647, -1, 2",
    "-1, 2147483647, 1, 0",
    "-1, 2147483647, -2147483648, 2147483647",
    "-1, 2147483647, 2147483647, -2147483646",
    "-1, 10, 99, -9",
    "-1, 0, 99, 1"
  })
  void signAndLimitAreApplied(int sign, int limit, int stated, int used) {
    PriorityScale scale =
        read("ebb.scheduler { priority-sign = %d, priority-limit = %d }".formatted(sign, limit));
    assertThat(scale.of(stated)).isEqualTo(used);
    assertThat(scale.of(scale.normal())).isEqualTo(1);
  }

  @Test
  void mistakesAreExplained() {
    assertThat(
            Configs.of(home, "ebb.scheduler { priority-sign = 0, priority-limit = -1 }").problems())
        .hasSize(2)
        .anySatisfy(problem -> assertThat(problem).contains("priority-sign = '0'", "1 or -1"))
        .anySatisfy(problem -> assertThat(problem).contains("priority-limit = '-1'", "from 0"));
  }
}
