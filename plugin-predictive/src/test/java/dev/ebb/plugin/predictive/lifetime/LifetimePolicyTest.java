package dev.ebb.plugin.predictive.lifetime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.plugin.predictive.PrefixRun;
import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.Prediction;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import dev.ebb.testkit.TestContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LifetimePolicyTest {

  private static final long SECOND = 1_000_000_000;

  private long nanos;
  private final Oracle oracle = new Oracle();
  private final LifetimePolicy policy = new LifetimePolicy(() -> nanos, oracle, 0.9);
  private final Map<SimEntry, Life> held = new LinkedHashMap<>();
  private int tick;

  @Test
  void aClientsEstimateWinsOverThePredictor() {
    SimEntry brief = entry();
    brief.lifetimeHintNanos = 0;
    oracle.foretell(brief, 1000, 1);
    insert(brief);
    SimEntry lasting = entry();
    oracle.foretell(lasting, 10, 1);
    insert(lasting);
    assertThat(leaving()).containsExactly(brief, lasting);
  }

  @Test
  void livesThatAreOverLeaveBeforeUnknownOnesAndThoseBeforeLivesThatGoOn() {
    SimEntry goesOn = foretold(5000, 0.95);
    SimEntry unknown = foretold(1, 0.5);
    SimEntry over = foretold(2, 1);
    nanos += 10 * SECOND;
    assertThat(leaving()).containsExactly(over, unknown, goesOn);
  }

  @Test
  void livesThatGoOnLeaveInOrderOfTheirEnds() {
    SimEntry day = foretold(86_400, 1);
    SimEntry second = foretold(1, 1);
    SimEntry hour = foretold(3600, 1);
    SimEntry minute = foretold(60, 1);
    assertThat(leaving()).containsExactly(second, minute, hour, day);
  }

  @Test
  void aPredictionHoldsUntilTheNextUse() {
    SimEntry used = foretold(5, 1);
    SimEntry unused = foretold(9, 1);
    nanos += 8 * SECOND;
    use(used);
    nanos += 4 * SECOND;
    assertThat(leaving()).containsExactly(unused, used);
  }

  @Test
  void amongTheUnknownCompleteSequencesLeaveFirstAndHalfWayIsAssumed() {
    SimEntry begun = progress(100, 1000);
    SimEntry unknown = progress(-1, -1);
    SimEntry nearlyDone = progress(950, 1000);
    SimEntry pastHalf = progress(600, 1000);
    assertThat(leaving()).containsExactly(nearlyDone, pastHalf, unknown, begun);
  }

  @Test
  void whatIsSetAsideIsNotOfferedUntilReleased() {
    SimEntry first = progress(-1, -1);
    SimEntry second = progress(-1, -1);
    Life life = Objects.requireNonNull(held.get(first));
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(first);
    policy.refused(life);
    assertThat(policy.victim(SimDemand.ONE_BLOCK)).isSameAs(second);
    policy.released(life);
    assertThat(leaving()).containsExactly(first, second);
  }

  @Test
  void whatIsUsedWhileSetAsideStandsWhereThatUsePutIt() {
    SimEntry first = progress(-1, -1);
    Life life = Objects.requireNonNull(held.get(first));
    policy.refused(life);
    use(first);
    SimEntry later = progress(-1, -1);
    policy.released(life);
    assertThat(leaving()).containsExactly(first, later);
  }

  @Test
  void wrongLongPredictionsDoNotKeepNewEntriesOut() {
    for (int i = 0; i < 100; i++) {
      foretold(86_400, 1);
    }
    int kept = 0;
    for (int i = 0; i < 200; i++) {
      SimEntry fresh = progress(-1, -1);
      SimEntry victim = (SimEntry) Objects.requireNonNull(policy.victim(SimDemand.ONE_BLOCK));
      policy.removed(Objects.requireNonNull(held.remove(victim)), RemovalCause.EVICTED);
      kept += victim == fresh ? 0 : 1;
    }
    assertThat(kept).isEqualTo(200);
    assertThat(policy.gauges().get("unpredicted")).isBetween(11.0, 13.0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void oneShotWorkLeavesBeforeWorkThatComesBack(long seed) {
    Trace trace = batchesAndChats(seed);
    TestContext context = TestContext.ofCapacity(400).with(OnlinePredictor.PROVIDER).withSeed(seed);
    assertThat(PrefixRun.of(trace, context, LifetimePolicy.PROVIDER::create).hitRatio())
        .as("seed %d", seed)
        .isGreaterThan(PrefixRun.leastRecentlyUsed(trace, 400) + 0.05);
  }

  // Every other request is a chat that comes back, the others are batches that never do.
  private static Trace batchesAndChats(long seed) {
    Random random = new Random(seed);
    List<SimRequest> trace = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      boolean chat = random.nextBoolean();
      int first = 8 * (chat ? random.nextInt(80) : 1000 + i);
      SimRequest request = new SimRequest(IntStream.range(first, first + 8).toArray());
      request.nanos = i * (SECOND / 2);
      request.workload = chat ? "chat" : "batch";
      trace.add(request);
    }
    return new Trace(trace, 8 * 21_000);
  }

  @Test
  void thePredictorObservesEveryUseWithTheTimeSinceThePreviousOne() {
    SimEntry entry = foretold(5, 1);
    nanos += 3 * SECOND;
    use(entry);
    nanos += 4 * SECOND;
    leaving();
    assertThat(oracle.events).containsExactly("INSERTED 0.0", "REUSED 3.0", "LEFT 4.0");
  }

  @Test
  void explainsItself() {
    Life goesOn = Objects.requireNonNull(held.get(foretold(40, 1)));
    Life over = Objects.requireNonNull(held.get(foretold(0, 1)));
    Life complete = Objects.requireNonNull(held.get(progress(930, 1000)));
    Life unknown = Objects.requireNonNull(held.get(progress(-1, -1)));
    nanos += 12 * SECOND;
    assertThat(policy.explain(goesOn)).contains("useful for another 28.0 s");
    assertThat(policy.explain(over)).contains("useless since 12.0 s");
    assertThat(policy.explain(complete))
        .isEqualTo("no trusted prediction, its sequence is 93 % complete, last used 12.0 s ago");
    assertThat(policy.explain(unknown))
        .isEqualTo("no trusted prediction, length of its sequence unknown, last used 12.0 s ago");
    assertThat(policy.gauges()).containsEntry("predicted", 2.0).containsEntry("unpredicted", 2.0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void everyVictimIsOneThatANaiveSortWouldTake(long seed) {
    Random random = new Random(seed);
    nanos = random.nextLong() >> 8;
    LifetimePolicy fresh = new LifetimePolicy(() -> nanos, oracle, 0.9);
    Map<SimEntry, Life> lives = new LinkedHashMap<>();
    for (int step = 0; step < 6000; step++) {
      nanos += (long) (SECOND * Math.exp(random.nextGaussian() * 3 - 3));
      int choice = random.nextInt(5);
      if (choice < 2 || lives.size() < 20) {
        SimEntry entry = entry();
        shape(entry, random);
        lives.put(entry, fresh.inserted(entry));
      } else if (choice < 4) {
        SimEntry entry = new ArrayList<>(lives.keySet()).get(random.nextInt(lives.size()));
        touch(entry);
        shape(entry, random);
        fresh.accessed(Objects.requireNonNull(lives.get(entry)));
      } else {
        SimEntry victim = (SimEntry) Objects.requireNonNull(fresh.victim(SimDemand.ONE_BLOCK));
        for (SimEntry other : lives.keySet()) {
          assertThat(mustLeaveBefore(other, victim)).as("seed %d step %d", seed, step).isFalse();
        }
        fresh.removed(Objects.requireNonNull(lives.remove(victim)), RemovalCause.EVICTED);
      }
      assertThat(fresh.size()).isEqualTo(lives.size());
    }
  }

  private void shape(SimEntry entry, Random random) {
    if (random.nextBoolean()) {
      oracle.foretell(entry, Math.exp(random.nextGaussian() * 3), 1);
    } else {
      oracle.foretell(entry, 0, 0.89);
      entry.maxSequenceLength = random.nextInt(3) == 0 ? -1 : 1000;
      entry.sequenceLength = random.nextInt(1100);
    }
  }

  private boolean mustLeaveBefore(SimEntry a, SimEntry b) {
    Double endOfA = oracle.end(a);
    Double endOfB = oracle.end(b);
    double now = nanos / 1e9;
    boolean overA = endOfA != null && endOfA + oracle.blur(a) <= now;
    boolean overB = endOfB != null && endOfB <= now;
    if (endOfB == null) {
      return overA || (endOfA == null && order(a) < order(b));
    }
    if (overB) {
      return false;
    }
    return overA || endOfA == null || endOfA + oracle.blur(a) < endOfB;
  }

  private static double order(SimEntry entry) {
    double share = CompletionOrder.share(entry);
    double step = Double.isNaN(share) ? 7.5 : Math.min(15, Math.floor(share * 16));
    return -step * 1e9 + entry.lastAccessTick;
  }

  private SimEntry entry() {
    SimEntry entry = new SimEntry(tick);
    touch(entry);
    return entry;
  }

  private void touch(SimEntry entry) {
    entry.lastAccessNanos = nanos;
    entry.lastAccessTick = ++tick;
  }

  private SimEntry foretold(double seconds, double confidence) {
    SimEntry entry = entry();
    oracle.foretell(entry, seconds, confidence);
    insert(entry);
    return entry;
  }

  private SimEntry progress(long length, long longest) {
    SimEntry entry = entry();
    entry.sequenceLength = length;
    entry.maxSequenceLength = longest;
    insert(entry);
    return entry;
  }

  private void insert(SimEntry entry) {
    held.put(entry, policy.inserted(entry));
  }

  private void use(SimEntry entry) {
    touch(entry);
    policy.accessed(Objects.requireNonNull(held.get(entry)));
  }

  private List<Entry> leaving() {
    List<Entry> order = new ArrayList<>();
    for (Entry victim = policy.victim(SimDemand.ONE_BLOCK);
        victim != null;
        victim = policy.victim(SimDemand.ONE_BLOCK)) {
      order.add(victim);
      policy.removed(Objects.requireNonNull(held.remove((SimEntry) victim)), RemovalCause.EVICTED);
    }
    return order;
  }

  /** A predictor that returns what the test set. */
  private static final class Oracle implements LifetimePredictor {
    private final Map<Entry, double[]> foretold = new HashMap<>();
    private final List<String> events = new ArrayList<>();

    void foretell(SimEntry entry, double seconds, double confidence) {
      foretold.put(entry, new double[] {seconds, confidence});
    }

    @org.jspecify.annotations.Nullable
    Double end(SimEntry entry) {
      double[] said = Objects.requireNonNull(foretold.get(entry));
      return said[1] < 0.9 ? null : entry.lastAccessNanos / 1e9 + said[0];
    }

    // A slot lasts at most an eighth of the time ahead, and never less than 67 ms.
    double blur(SimEntry entry) {
      return 0.07 + Objects.requireNonNull(foretold.get(entry))[0] / 7;
    }

    @Override
    public void observe(Entry entry, Event event, double idleSeconds) {
      events.add(event + " " + idleSeconds);
    }

    @Override
    public void predict(Entry entry, Prediction out) {
      double[] said = foretold.get(entry);
      if (said != null) {
        out.set(said[0], said[1]);
      }
    }
  }
}
