package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShadowSpecTest {

  private static final String OPTION = "--memory";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lru                  | lru              | 1    | lru",
        "lru@2x               | lru              | 2    | lru@2x",
        "lru@2.50x            | lru              | 2.5  | lru@2.5x",
        "lfu(ageing=a)@0.1x   | lfu(ageing=a)    | 0.1  | lfu(ageing=a)@0.1x",
        "lfu(to=\"a@b.c\")      | lfu(to=\"a@b.c\")  | 1    | lfu(to=\"a@b.c\")",
        "lfu(to=\"a@2x\")@16x   | lfu(to=\"a@2x\")   | 16   | lfu(to=\"a@2x\")@16x"
      },
      quoteCharacter = '\'')
  void theMemoryStandsAtTheEnd(String text, String policy, double memory, String display) {
    ShadowSpec spec = ShadowSpec.parse(text, OPTION);

    assertThat(spec.policy()).isEqualTo(PolicySpec.parse(policy, OPTION));
    assertThat(spec.memory()).isEqualTo(memory);
    assertThat(spec.display()).isEqualTo(display);
    assertThat(ShadowSpec.parse(display, OPTION)).isEqualTo(spec);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lru@",
        "lru@2",
        "lru@x",
        "lru@-2x",
        "lru@0x",
        "lru@1.0x",
        "lru@0.09x",
        "lru@16.1x"
      })
  void otherMemoryIsRefused(String text) {
    assertThatThrownBy(() -> ShadowSpec.parse(text, OPTION))
        .isInstanceOf(UserError.class)
        .hasMessage(
            "--memory: '%s' must end with how many times the pool's memory it has, from @0.1x to @16x other than @1x, such as 'lru@2x'",
            text);
  }

  @Test
  void theActivePolicyIsEstimatedAnyway() {
    assertThatThrownBy(() -> ShadowSpec.parse("active", OPTION))
        .hasMessage("--memory: 'active' needs other memory than the pool's, such as 'active@2x'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"active", "lru@1x", "lru!", "lru(a", "lru(a)", "lru(a=${b})", ""})
  void withoutAnOptionAMessageStartsWithTheMistake(String text) {
    assertThatThrownBy(() -> ShadowSpec.parse(text, ""))
        .isInstanceOf(UserError.class)
        .message()
        .matches("('|a policy's name).*");
  }

  @Test
  void activeStandsForTheActivePolicy() {
    List<ShadowSpec> specs = ShadowSpec.parseList("sieve, active@0.5x, lfu(a=1,b=2)@4x", OPTION);

    assertThat(specs)
        .extracting(each -> each.withActive("arc(p=1)"))
        .containsExactly("sieve", "arc(p=1)@0.5x", "lfu(a=1,b=2)@4x");
    assertThat(ShadowSpec.named(specs))
        .extracting(PolicySpec::name)
        .containsExactly("sieve", "lfu");
    assertThat(specs)
        .extracting(each -> ShadowSpec.factor(each.memory()))
        .containsExactly("1", "0.5", "4");
  }
}
