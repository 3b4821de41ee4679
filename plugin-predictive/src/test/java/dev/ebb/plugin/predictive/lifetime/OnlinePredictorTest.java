package dev.ebb.plugin.predictive.lifetime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.plugin.predictive.Ages;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictor.Event;
import dev.ebb.spi.Prediction;
import dev.ebb.spi.sim.SimEntry;
import dev.ebb.testkit.TestClock;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OnlinePredictorTest {

  private static final long SECOND = 1_000_000_000;

  private final TestContext context = TestContext.ofCapacity(1);
  private final TestClock clock = context.clock();
  private final LifetimePredictor predictor = OnlinePredictor.PROVIDER.create(context);

  @Test
  void knowsNothingAtFirst() {
    assertThat(predict(null, 0).confidence()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0.6, 10", "0.7, 20", "0.9, 60", "0.55, 300"})
  void findsTheExpectedLifeOfARenewalProcess(double again, double meanGap) {
    Random random = new Random(3);
    for (int i = 0; i < 6000; i++) {
      if (random.nextDouble() < again) {
        observe("chat", Event.REUSED, -meanGap * Math.log(1 - random.nextDouble()));
      } else {
        observe("chat", Event.LEFT, 20_000);
      }
    }
    Prediction prediction = predict("chat", 0);
    double life = again / (1 - again) * meanGap;
    assertThat(prediction.remainingSeconds()).isCloseTo(life, within(life / 4));
    assertThat(prediction.confidence()).isLessThan(0.6);
    assertThat(predict("chat", 100 * meanGap).remainingSeconds()).isLessThan(life / 4);
  }

  @Test
  void departuresThatCameEarlySayLittleAboutTheGaps() {
    Random random = new Random(4);
    for (int i = 0; i < 6000; i++) {
      double gap = -30 * Math.log(1 - random.nextDouble());
      double leaves = random.nextBoolean() ? 15 : 20_000;
      boolean again = random.nextDouble() < 0.6 && gap < leaves;
      observe("chat", again ? Event.REUSED : Event.LEFT, again ? gap : leaves);
    }
    assertThat(predict("chat", 0).remainingSeconds()).isCloseTo(45, within(12.0));
  }

  @Test
  void isSureThatOneShotWorkIsNotUsedAgain() {
    for (int i = 0; i < 1000; i++) {
      observe("batch", i % 500 == 0 ? Event.REUSED : Event.LEFT, 5);
    }
    Prediction prediction = predict("batch", 0);
    assertThat(prediction.remainingSeconds()).isZero();
    assertThat(prediction.confidence()).isGreaterThan(0.9);
  }

  @Test
  void isNotSureHowOftenRegularWorkComesBack() {
    for (int i = 0; i < 1000; i++) {
      observe("cron", i % 40 == 0 ? Event.LEFT : Event.REUSED, i % 40 == 0 ? 20_000 : 3600);
    }
    // Any number of gaps may follow, so only the spread of that number is left.
    assertThat(predict("cron", 0).confidence()).isBetween(0.4, 0.6);
  }

  @Test
  void theChanceOfNoFurtherUseIsTheConfidenceThatItIsOver() {
    for (int i = 0; i < 4000; i++) {
      boolean again = i % 5 == 0;
      observe("rag", again ? Event.REUSED : Event.LEFT, again ? 60 : 20_000);
    }
    assertThat(predict("rag", 0).remainingSeconds()).isZero();
    assertThat(predict("rag", 0).confidence()).isCloseTo(0.8, within(0.02));
    assertThat(predict("rag", 600).confidence()).isGreaterThan(0.98);
  }

  @Test
  void agesThatFewHaveReachedAreNoEvidenceAgainstReuse() {
    Random random = new Random(6);
    for (int i = 0; i < 6000; i++) {
      double gap = Math.exp(4 * random.nextGaussian() + 4);
      observe("chat", gap < 30 ? Event.REUSED : Event.LEFT, Math.min(gap, 30));
    }
    assertThat(predict("chat", 0).confidence()).isLessThan(0.8);
  }

  @Test
  void aFewMomentsAreLeftAloneSoThatItGoesOnLearning() {
    int watched = 0;
    for (long moment = 0; moment < 16_000; moment++) {
      watched += OnlinePredictor.watched(moment * 37_000_003) ? 1 : 0;
    }
    assertThat(watched).isBetween(800, 1200);
  }

  @Test
  void manyEntriesOfOneMomentAreNotManyObservations() {
    clock.advance(Duration.ofNanos(1));
    for (int i = 0; i < 6000; i++) {
      predictor.observe(entry("batch"), Event.LEFT, 5);
    }
    assertThat(predict("batch", 0).confidence()).isZero();
  }

  @Test
  void isNotSureAfterFewObservations() {
    Random random = new Random(5);
    for (int i = 0; i < 65; i++) {
      observe("chat", random.nextBoolean() ? Event.REUSED : Event.LEFT, 100 * random.nextDouble());
    }
    assertThat(predict("chat", 0).confidence()).isBetween(0.1, 0.9);
  }

  @Test
  void distinguishesWorkloadsAndUnlabelledRequests() {
    for (int i = 0; i < 640; i++) {
      observe("agent", i % 10 == 0 ? Event.LEFT : Event.REUSED, i % 10 == 0 ? 20_000 : 5);
      observe(null, Event.LEFT, 100);
    }
    assertThat(predict("agent", 0).remainingSeconds()).isBetween(30.0, 60.0);
    assertThat(predict(null, 0).remainingSeconds()).isZero();
    assertThat(predict("other", 0).confidence()).isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 5, 3_600, 20_000})
  void answersWhereEverythingIsUsedAgain(double gap) {
    clock.advance(Duration.ofDays(1));
    for (int moment = 0; moment < 6_000; moment++) {
      clock.advance(Duration.ofMillis(1));
      for (int i = 0; i < 100; i++) {
        predictor.observe(entry("hot"), Event.REUSED, gap);
      }
    }
    for (double idle = 0; idle < 50_000; idle = 2 * idle + 1) {
      assertThat(predict("hot", idle).confidence()).as("idle %s s", idle).isLessThan(1);
    }
  }

  @Test
  void keepsAFixedNumberOfLabels() {
    for (int label = 0; label < 1000; label++) {
      observe("label-" + label, Event.LEFT, 5);
    }
    for (int i = 0; i < 65; i++) {
      observe("label-998", Event.LEFT, 5);
    }
    assertThat(predict("label-999", 0).confidence()).isPositive();
    assertThat(predict("label-1", 0).confidence()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void survivalIsThatOfANaiveCount(long seed) {
    Random random = new Random(seed);
    GapSurvival survival = new GapSurvival(1e18);
    int samples = 64 * 20;
    double[] times = new double[samples];
    boolean[] reused = new boolean[samples];
    for (int i = 0; i < samples; i++) {
      times[i] = Math.exp(random.nextGaussian() * 2 + 2);
      reused[i] = random.nextInt(3) > 0;
      if (reused[i]) {
        survival.reused(times[i], i);
      } else {
        survival.left(times[i], i);
      }
    }
    survival.left(0, samples);
    double[] hazard = naiveHazard(times, reused);
    double never = 1;
    for (double its : hazard) {
      never *= 1 - its;
    }
    Prediction prediction = new Prediction();
    for (int bin = 0; bin <= Ages.BINS; bin++) {
      survival.predict((long) (Ages.start(bin) * 1e9) + 1, prediction);
      double naive = naiveLife(hazard, bin);
      assertThat(prediction.remainingSeconds())
          .as("seed %d bin %d", seed, bin)
          .isCloseTo(naive, within(1e-6 * (1 + naive)));
      if (bin == 0) {
        assertThat(never).as("seed %d", seed).isLessThan(0.5);
        assertThat(prediction.confidence())
            .as("seed %d", seed)
            .isCloseTo(certainty(hazard, samples, seed), within(0.03));
      }
    }
  }

  private static double[] naiveHazard(double[] times, boolean[] reused) {
    double[] hazard = new double[Ages.BINS + 1];
    for (int bin = 0; bin <= Ages.BINS; bin++) {
      double exposed = 0;
      double events = 0;
      for (int i = 0; i < times.length; i++) {
        int its = Ages.bin((long) (times[i] * 1e9));
        if (its == bin) {
          exposed += reused[i] ? 1 : 0.5;
          events += reused[i] ? 1 : 0;
        } else if (its > bin) {
          exposed++;
        }
      }
      double before = 0;
      for (int back = bin - 5; back < bin; back++) {
        before += back < 0 ? 0 : hazard[back] / 5;
      }
      hazard[bin] =
          Math.min(exposed >= 30 ? events / exposed : before, times.length / (times.length + 1.0));
    }
    return hazard;
  }

  // Life after a wait until a bin: the next gap, if one follows, and all that follow it.
  private static double naiveLife(double[] hazard, int from) {
    double alive = 1;
    double gap = 0;
    double again = 0;
    for (int bin = from; bin <= Ages.BINS; bin++) {
      gap += alive * hazard[bin] * (middle(bin) - Ages.start(from));
      again += alive * hazard[bin];
      alive *= 1 - hazard[bin];
    }
    if (again <= 0.5) {
      return 0;
    }
    return from == 0 ? gap / (1 - again) : gap + again * naiveLife(hazard, 0);
  }

  // From the spread of lives played out one by one.
  private static double certainty(double[] hazard, int moments, long seed) {
    Random random = new Random(seed);
    int lives = 10_000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < lives; i++) {
      double life = 0;
      for (int bin = 0; bin <= Ages.BINS; bin++) {
        if (random.nextDouble() < hazard[bin]) {
          life += middle(bin);
          bin = -1;
        }
      }
      sum += life;
      squares += life * life;
    }
    double mean = sum / lives;
    double spread = Math.sqrt(squares / lives - mean * mean);
    return moments / (moments + 10.0) / (1 + spread / (mean + 1));
  }

  private static double middle(int bin) {
    return bin == Ages.BINS ? Ages.start(bin) : (Ages.start(bin) + Ages.start(bin + 1)) / 2;
  }

  private void observe(@Nullable String label, Event event, double idleSeconds) {
    clock.advance(Duration.ofSeconds(1));
    predictor.observe(entry(label), event, idleSeconds);
  }

  private Prediction predict(@Nullable String label, double idleSeconds) {
    Prediction prediction = new Prediction();
    SimEntry entry = entry(label);
    while (OnlinePredictor.watched(clock.nanos() - (long) (idleSeconds * SECOND))) {
      clock.advance(Duration.ofNanos(1));
    }
    entry.lastAccessNanos = clock.nanos() - (long) (idleSeconds * SECOND);
    predictor.predict(entry, prediction);
    return prediction;
  }

  private SimEntry entry(@Nullable String label) {
    SimEntry entry = new SimEntry(1);
    entry.workload = label;
    entry.lastAccessNanos = clock.nanos();
    return entry;
  }
}
