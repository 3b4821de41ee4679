package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Prediction;
import dev.ebb.testkit.MeanPredictorProvider.Mean;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class BrokenPredictorTest {

  private static double shared;

  /** The answer in place of the mean. */
  private interface Answer {
    void predict(Mean mean, Entry entry, Prediction out);
  }

  @Test
  void answersNothing() {
    assertAnswerCaught("answers before it has learned", Rule.PREDICTION, (mean, entry, out) -> {});
  }

  @Test
  void dividesByNothingAtFirst() {
    assertAnswerCaught(
        "answers before it has learned",
        Rule.NO_EXCEPTION,
        (mean, entry, out) -> out.set(mean.sum / mean.count, 0));
  }

  @Test
  void isMoreThanCertain() {
    assertAnswerCaught(
        "answers while it learns",
        Rule.NO_EXCEPTION,
        (mean, entry, out) -> out.set(1, mean.count / 100.0));
  }

  @Test
  void theMessageNamesTheSourceOfTheMistake() {
    assertThat(outcomes(() -> answering((mean, entry, out) -> out.set(-1, 0))))
        .filteredOn(outcome -> outcome.broken() == Rule.NO_EXCEPTION)
        .isNotEmpty()
        .allSatisfy(outcome ->
            assertThat(outcome.message())
                .contains(
                    "predict() about an entry used 1 times threw"
                        + " java.lang.IllegalArgumentException: remainingSeconds is '-1.0', and"
                        + " must be finite and at least 0 at dev.ebb.testkit.BrokenPredictorTest"));
  }

  @Test
  void closesOnlyOnce() {
    assertCaught("may be closed twice", Rule.CLOSE, ClosesOnce::new);
  }

  private static final class ClosesOnce extends Mean {
    private final OnlyOnce once = new OnlyOnce();

    @Override
    public void close() {
      once.close();
    }
  }

  @Test
  @SuppressWarnings("NullAway")
  void throwsForAnUnknownTenant() {
    assertAnswerCaught(
        "answers before it has learned",
        Rule.NO_EXCEPTION,
        (mean, entry, out) -> out.set(entry.tenant().length(), 0));
  }

  @Test
  void drawsFromAGeneratorOfItsOwn() {
    assertAnswerCaught(
        "gives the same answers again",
        Rule.DETERMINISTIC,
        (mean, entry, out) -> out.set(Math.random(), 0));
  }

  @Test
  void learnsFromWhatOthersSee() {
    assertCaught("shares nothing with other instances", Rule.INDEPENDENT, Sharing::new);
  }

  /** Starts over with each instance, so that alone it can be repeated. */
  private static final class Sharing extends Mean {
    @SuppressWarnings("StaticAssignmentInConstructor")
    Sharing() {
      shared = 0;
    }

    @Override
    public void observe(Entry entry, Event event, double idleSeconds) {
      shared += idleSeconds;
    }

    @Override
    public void predict(Entry entry, Prediction out) {
      out.set(shared, 0);
    }
  }

  private static Mean answering(Answer answer) {
    return new Mean() {
      @Override
      public void predict(Entry entry, Prediction out) {
        answer.predict(this, entry, out);
      }
    };
  }

  private static void assertAnswerCaught(String check, Rule rule, Answer answer) {
    assertCaught(check, rule, () -> answering(answer));
  }

  private static void assertCaught(
      String check, Rule rule, Supplier<? extends LifetimePredictor> predictor) {
    assertThat(outcomes(predictor))
        .filteredOn(outcome -> !outcome.passed())
        .allSatisfy(outcome -> assertThat(outcome.broken()).isEqualTo(rule))
        .extracting(Outcome::check)
        .contains(check);
  }

  private static List<Outcome> outcomes(Supplier<? extends LifetimePredictor> predictor) {
    MeanPredictorProvider provider =
        new MeanPredictorProvider() {
          @Override
          public LifetimePredictor create(PolicyContext context) {
            return predictor.get();
          }
        };
    return LifetimePredictorChecks.of(provider, Mistake.SETTINGS).stream().map(Check::run).toList();
  }
}
