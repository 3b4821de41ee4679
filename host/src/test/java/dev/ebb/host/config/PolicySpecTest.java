package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicySpecTest {

  private static final String OPTION = "--policies";

  @Test
  void aNameAloneHasNoSettings() {
    assertThat(PolicySpec.parse(" s3-fifo ", OPTION)).isEqualTo(PolicySpec.of("s3-fifo"));
  }

  @Test
  void settingsStandInParentheses() {
    PolicySpec spec = PolicySpec.parse("lfu(ageing=dynamic, size = 5)", OPTION);

    assertThat(spec.display()).isEqualTo("lfu(ageing=dynamic, size = 5)");
    assertThat(spec.name()).isEqualTo("lfu");
    assertThat(spec.settings().root().unwrapped())
        .isEqualTo(Map.of("ageing", "dynamic", "size", 5));
  }

  @Test
  void commasInsideParenthesesDoNotSeparate() {
    List<PolicySpec> specs =
        PolicySpec.parseList("lru, lfu(a=1,b=2),predictive(factors=sip-7)", OPTION);

    assertThat(specs)
        .extracting(PolicySpec::display)
        .containsExactly("lru", "lfu(a=1,b=2)", "predictive(factors=sip-7)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lru,,arc|--policies: '' must start with a policy's name: lower-case letters, digits and"
            + " inner dashes",
        "''|--policies: '' must start with a policy's name: lower-case letters, digits and inner"
            + " dashes",
        "LRU|--policies: 'LRU' must start with a policy's name: lower-case letters, digits and"
            + " inner dashes",
        "lfu(a=1|--policies: the parentheses of 'lfu(a=1' are not balanced",
        "lfu)a=1(|--policies: the parentheses of 'lfu)a=1(' are not balanced",
        "lfu(a=1)x|--policies: 'lfu(a=1)x' must end with the parenthesis that closes its settings",
        "lfu(a)|--policies: 'lfu(a)' must hold settings as key=value, separated by commas",
      })
  void whatIsWrittenOtherwiseIsToldInWords(String text, String message) {
    assertThatThrownBy(() -> PolicySpec.parseList(text, OPTION))
        .isInstanceOf(UserError.class)
        .hasMessage(message);
  }
}
