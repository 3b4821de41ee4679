package dev.ebb.host.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.config.rules.RuleSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which rule decides, second by second, by readings and a clock that are made up. */
class RuleBookTest {

  private final MadeReadings readings = new MadeReadings();
  private final RuleBook book = new RuleBook();

  private static RuleConfig tight(int sustainedFor, int minHold) {
    return rule("tight", RuleSignal.OCCUPANCY, null, 0.9, 0.8, sustainedFor, minHold);
  }

  private static RuleConfig rule(
      String name,
      RuleSignal when,
      @Nullable String of,
      double bound,
      double clearAt,
      int sustainedFor,
      int minHold) {
    return new RuleConfig(
        name,
        when,
        of,
        bound,
        clearAt,
        Duration.ofSeconds(sustainedFor),
        Duration.ofSeconds(minHold),
        new Choice("of-" + name, null));
  }

  /** A second goes by, and what is decided is done. Returns the name of the active rule. */
  private String second(String subject, double value) {
    readings.advance(1);
    readings.set(subject, value);
    book.read(readings, readings.nanos());
    RuleState winner = book.winner(state -> state.refusal() == null, readings.nanos());
    if (winner != book.active()) {
      book.active(winner, readings.nanos());
    }
    return winner == null ? "-" : winner.rule().name();
  }

  private List<String> seconds(double... values) {
    List<String> decided = new ArrayList<>();
    for (double value : values) {
      decided.add(second("occupancy", value));
    }
    return decided;
  }

  @Test
  void aRuleBeginsAboveItsBoundAndEndsAtAnother() {
    book.set(List.of(tight(0, 0)));

    assertThat(seconds(0.90, 0.91, 0.89, 0.81, 0.80, 0.90, 0.95))
        .containsExactly("-", "tight", "tight", "tight", "-", "-", "tight");
  }

  @Test
  void aRuleMayBeginBelowItsBound() {
    book.set(List.of(rule("low", RuleSignal.OCCUPANCY, null, 0.2, 0.4, 0, 0)));

    assertThat(seconds(0.2, 0.1, 0.3, 0.39, 0.4, 0.3))
        .containsExactly("-", "low", "low", "low", "-", "-");
  }

  @Test
  void aBurstThatIsOverBeforeItsTimeChangesNothing() {
    book.set(List.of(tight(3, 0)));

    assertThat(seconds(0.95, 0.95, 0.95, 0.85, 0.95, 0.95, 0.95, 0.95))
        .containsExactly("-", "-", "-", "-", "-", "-", "-", "tight");
  }

  @Test
  void aRuleStaysActiveForItsTimeThoughItIsOver() {
    book.set(List.of(tight(0, 3)));

    assertThat(seconds(0.95, 0.1, 0.1, 0.1, 0.1))
        .containsExactly("tight", "tight", "tight", "-", "-");
  }

  @Test
  void whatIsNotKnownChangesNothing() {
    book.set(List.of(tight(2, 0)));
    double unknown = Double.NaN;

    assertThat(seconds(0.95, 0.95, unknown, 0.95, 0.95, 0.95, unknown, unknown, 0.8))
        .containsExactly("-", "-", "-", "-", "-", "tight", "tight", "tight", "-");
  }

  @ParameterizedTest
  @CsvSource({
    "0.5, 0.1, -",
    "0.95, 0.1, tight",
    "0.5, 0.7, chat",
    "0.95, 0.7, tight",
  })
  void theFirstThatHoldsDecides(double occupancy, double share, String decided) {
    book.set(List.of(tight(0, 0), rule("chat", RuleSignal.MODEL_SHARE, "llama", 0.5, 0.4, 0, 0)));
    readings.set("model-share of llama", share);

    assertThat(second("occupancy", occupancy)).isEqualTo(decided);
  }

  @Test
  void oneBeforeTheActiveOneWaitsForItsTime() {
    book.set(List.of(tight(0, 0), rule("chat", RuleSignal.MODEL_SHARE, "llama", 0.5, 0.4, 0, 4)));
    readings.set("model-share of llama", 0.7);

    assertThat(seconds(0.5, 0.95, 0.95, 0.95, 0.95))
        .containsExactly("chat", "chat", "chat", "chat", "tight");
  }

  @Test
  void oneThatIsRefusedIsPassedOverUntilItIsOver() {
    book.set(List.of(tight(0, 9), rule("any", RuleSignal.OCCUPANCY, null, 0.5, 0.4, 0, 0)));

    assertThat(seconds(0.95)).containsExactly("tight");
    book.states().getFirst().refused("it cannot be made", 0);
    assertThat(seconds(0.95, 0.95, 0.8, 0.95)).containsExactly("any", "any", "any", "tight");
  }

  @Test
  void rulesThatStayTheSameGoOn() {
    book.set(List.of(tight(2, 0)));
    seconds(0.95, 0.95);
    book.set(List.of(rule("new", RuleSignal.TURNOVER, null, 60, 120, 0, 0), tight(2, 0)));

    assertThat(seconds(0.95)).containsExactly("tight");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void nothingFlapsWhateverIsRead(long seed) {
    int minHold = 20;
    RuleConfig first = tight(5, minHold);
    RuleConfig second = rule("chat", RuleSignal.MODEL_SHARE, "llama", 0.5, 0.4, 5, minHold);
    book.set(List.of(first, second));
    Random random = new Random(seed);
    String before = "-";
    int age = 0;
    int changes = 0;
    for (int i = 0; i < 20_000; i++) {
      // Whole spells, so that rules do begin, and single outliers.
      double level = Math.floorMod(i / 40, 3) * 0.45 + random.nextDouble() * 0.3;
      readings.set("model-share of llama", random.nextInt(20) == 0 ? Double.NaN : 1.2 - level);
      String now = second("occupancy", level);
      if (now.equals(before)) {
        age++;
        continue;
      }
      if (!before.equals("-")) {
        assertThat(age)
            .as("%s after %s at second %d", now, before, i)
            .isGreaterThanOrEqualTo(minHold);
      }
      changes++;
      before = now;
      age = 1;
    }
    assertThat(changes).isBetween(100, 20_000 / minHold * 2);
  }

  @Test
  void aRuleThatOnlyStandsOnAnotherLineIsTheSame() {
    RuleConfig rule = tight(0, 0);
    RuleConfig moved =
        new RuleConfig(
            rule.name(),
            rule.when(),
            rule.of(),
            rule.bound(),
            rule.clearAt(),
            rule.sustainedFor(),
            rule.minHold(),
            new Choice(rule.policy().name(), "ebb.conf:12"));
    book.set(List.of(rule));
    RuleState before = book.states().getFirst();

    book.set(List.of(moved));
    assertThat(book.states()).containsExactly(before);
    book.set(List.of(tight(0, 1)));
    assertThat(book.states()).doesNotContain(before);
  }
}
