package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.hocon.UntrustedHocon;
import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        "lru,,arc|--policies: a policy's name is missing; write one, such as 'lru', or several with"
            + " one comma between them",
        "''|--policies: a policy's name is missing; write one, such as 'lru', or several with one"
            + " comma between them",
        "lru!|--policies: 'lru!' must start with a policy's name: lower-case letters, digits and"
            + " inner dashes",
        "lfu(a=1|--policies: the parentheses of 'lfu(a=1' are not balanced",
        "lfu)a=1(|--policies: the parentheses of 'lfu)a=1(' are not balanced",
        "lfu(a=1)x|--policies: 'lfu(a=1)x' must end with the parenthesis that closes its settings",
        "lfu(a)|--policies: 'lfu(a)' must hold settings as key=value, separated by commas",
      })
  void otherFormatsAreReported(String text, String message) {
    assertThatThrownBy(() -> PolicySpec.parseList(text, OPTION))
        .isInstanceOf(UserError.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "include file(\"secret.conf\")",
        "include url(\"file:secret.conf\")",
        "include classpath(\"secret.conf\")",
        "include required(file(\"secret.conf\"))",
        "include \"secret.conf\"",
        "a { include \"secret.conf\" }"
      })
  void settingsIncludeNothing(String settings) {
    assertThatThrownBy(() -> PolicySpec.parse("lfu(" + settings + ")", OPTION))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith("--policies: it includes '")
        .hasMessageContaining("secret.conf', but includes are not allowed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a=${PATH}|'a' is '${PATH}'",
        "a=${?PATH}|'a' is '${?PATH}'",
        "a=x${PATH}y|'a' is",
        "a=1,b=${a}|'b' is '${a}'",
        "a=[1,${PATH}]|'a' is '${PATH}'",
        "a={b=1},a=${PATH}|'a' is",
        "a={b=${PATH}}|'a.b' is '${PATH}'",
        "a=[],a+=1|'a' is",
      })
  void settingsSubstituteNothing(String settings, String what) {
    assertThatThrownBy(() -> PolicySpec.parse("lfu(" + settings + ")", OPTION))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith("--policies: " + what)
        .hasMessageContaining("double quotes")
        .message()
        .doesNotContain(System.getenv("PATH"));
  }

  @Test
  void aTextInQuotesMayHoldTheSignsOfASubstitution() {
    assertThat(PolicySpec.parse("lfu(a=\"${PATH}\")", OPTION).settings().getString("a"))
        .isEqualTo("${PATH}");
  }

  @Test
  void aValueOnTheCommandLineNeitherIncludesNorSubstitutes() {
    assertThatThrownBy(() -> UntrustedHocon.value("{ include file(\"secret.conf\") }"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'secret.conf', but includes are not allowed");
    assertThatThrownBy(() -> UntrustedHocon.value("[${PATH}]"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'value' is '${PATH}'");
  }
}
