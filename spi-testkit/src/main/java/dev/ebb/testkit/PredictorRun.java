package dev.ebb.testkit;

import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictor.Event;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.Prediction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A predictor that receives random events and is queried after each. */
final class PredictorRun {

  private static final int MOST_ENTRIES = 100;

  // An answer that no predictor gives by chance, to detect a missing call to set().
  private static final double NO_SECONDS = 0x1.d1ce5p-900;
  private static final double NO_CONFIDENCE = 0x1.d1ce5p-901;

  private final TestClock clock;
  private final LifetimePredictor predictor;
  private final SplittableRandom random;
  private final Prediction prediction = new Prediction();
  private final List<TestEntry> entries = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();

  PredictorRun(LifetimePredictorProvider provider, CheckSettings settings, long seed) {
    TestContext context = settings.context(MOST_ENTRIES, seed);
    clock = context.clock();
    predictor = Calls.create(provider::create, context);
    random = new SplittableRandom(seed);
  }

  List<String> answers() {
    return answers;
  }

  /** Reports one event of a random entry, and asks about another. */
  void step() {
    clock.advance(Duration.ofNanos((long) Math.pow(10, random.nextInt(14))));
    int pick = random.nextInt(MOST_ENTRIES);
    if (pick >= entries.size()) {
      TestEntry entry = entry().created(clock.nanos(), clock.nextTick());
      observe(entry, Event.INSERTED);
      entries.add(entry);
    } else if (random.nextInt(4) > 0) {
      observe(entries.get(pick), Event.REUSED);
      entries.get(pick).used(clock.nanos(), clock.nextTick());
    } else {
      observe(entries.remove(pick), Event.LEFT);
    }
    if (!entries.isEmpty()) {
      predict(entries.get(random.nextInt(entries.size())));
    }
  }

  /** Asks about entries with extreme values. */
  void predictForAnyKind() {
    clock.advance(Duration.ofDays(1));
    predict(TestEntry.of(0));
    predict(TestEntry.of(-1).created(clock.nanos(), 1));
    predict(TestEntry.of(1).lifetimeHintNanos(0).recomputeCost(0));
    predict(TestEntry.of(2).lifetimeHintNanos(Long.MAX_VALUE).recomputeCost(1e12));
    predict(TestEntry.of(3).depth(1_000_000).turn(1_000_000).hint(Integer.MIN_VALUE));
    predict(TestEntry.of(4).priority(Integer.MIN_VALUE).blocks(1_000_000).tenant("").workload(""));
    predict(entry().created(clock.nanos(), 1).used(clock.nanos(), 2));
  }

  void close() {
    Calls.close(predictor);
  }

  private TestEntry entry() {
    boolean known = random.nextBoolean();
    return TestEntry.of(random.nextLong())
        .depth(random.nextInt(100))
        .sequenceId(known ? random.nextInt(20) : -1)
        .turn(known ? 1 + random.nextInt(20) : -1)
        .tenant(random.nextBoolean() ? "tenant-" + random.nextInt(3) : null)
        .workload(random.nextBoolean() ? "chat" : null)
        .priority(random.nextInt(3))
        .hint(random.nextInt(4))
        .lastOfRequest(random.nextBoolean())
        .lifetimeHintNanos(random.nextInt(5) == 0 ? random.nextLong(1L << 40) : -1);
  }

  private void observe(TestEntry entry, Event event) {
    double idle = event == Event.INSERTED ? 0 : (clock.nanos() - entry.lastAccessNanos()) / 1e9;
    Calls.run("observe()", () -> predictor.observe(entry, event, idle));
  }

  private void predict(TestEntry entry) {
    prediction.set(NO_SECONDS, NO_CONFIDENCE);
    String call = "predict() about an entry used %d times".formatted(entry.accesses());
    Calls.run(call, () -> predictor.predict(entry, prediction));
    double seconds = prediction.remainingSeconds();
    double confidence = prediction.confidence();
    if (seconds == NO_SECONDS && confidence == NO_CONFIDENCE) {
      throw new Violation(Rule.PREDICTION, call + " did not call set()");
    }
    answers.add("%s s with confidence %s".formatted(seconds, confidence));
  }
}
