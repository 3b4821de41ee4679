package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Prediction;
import dev.ebb.testkit.MeanPredictorProvider.Mean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class BrokenPredictorTest {

  private static double shared;

  @Test
  void answersNothingAtFirst() {
    assertCaught(
        "answers before it has learned",
        Rule.PREDICTION,
        () ->
            new Mean() {
              @Override
              public void predict(Entry entry, Prediction out) {
                out.set(sum / count, 0);
              }
            });
  }

  @Test
  void isMoreThanCertain() {
    assertCaught(
        "answers while it learns",
        Rule.PREDICTION,
        () ->
            new Mean() {
              @Override
              public void predict(Entry entry, Prediction out) {
                out.set(1, count / 100.0);
              }
            });
  }

  @Test
  void throwsForAnUnknownTenant() {
    assertCaught(
        "answers before it has learned",
        Rule.NO_EXCEPTION,
        () ->
            new Mean() {
              @Override
              @SuppressWarnings("NullAway")
              public void predict(Entry entry, Prediction out) {
                out.set(entry.tenant().length(), 0);
              }
            });
  }

  @Test
  void drawsFromAGeneratorOfItsOwn() {
    assertCaught(
        "gives the same answers again",
        Rule.DETERMINISTIC,
        () ->
            new Mean() {
              @Override
              public void predict(Entry entry, Prediction out) {
                out.set(Math.random(), 0);
              }
            });
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

  private static void assertCaught(
      String check, Rule rule, Supplier<? extends LifetimePredictor> predictor) {
    MeanPredictorProvider provider =
        new MeanPredictorProvider() {
          @Override
          public LifetimePredictor create(PolicyContext context) {
            return predictor.get();
          }
        };
    assertThat(LifetimePredictorChecks.of(provider, Mistake.SETTINGS))
        .extracting(Check::run)
        .filteredOn(outcome -> !outcome.passed())
        .allSatisfy(outcome -> assertThat(outcome.broken()).isEqualTo(rule))
        .extracting(Outcome::check)
        .contains(check);
  }
}
