package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.Prediction;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LifetimePolicyTest {

  private static final long SECOND = 1_000_000_000;

  private final TestContext context = new TestContext(1000, 1, Map.of());
  private final Oracle oracle = new Oracle();
  private final LifetimePolicy policy = new LifetimePolicy(context.clock(), oracle, 0.9);
  private final Map<SimulatedEntry, Life> held = new LinkedHashMap<>();
  private final Demand demand = new AnyDemand();
  private long tick;

  @Test
  void aClientsEstimateWinsOverThePredictor() {
    SimulatedEntry brief = entry();
    brief.lifetimeHintNanos = 0;
    oracle.foretell(brief, 1000, 1);
    insert(brief);
    SimulatedEntry lasting = entry();
    oracle.foretell(lasting, 10, 1);
    insert(lasting);
    assertThat(leaving()).containsExactly(brief, lasting);
  }

  @Test
  void livesThatAreOverLeaveBeforeUnknownOnesAndThoseBeforeLivesThatGoOn() {
    SimulatedEntry goesOn = foretold(5000, 0.95);
    SimulatedEntry unknown = foretold(1, 0.5);
    SimulatedEntry over = foretold(2, 1);
    context.nanos += 10 * SECOND;
    assertThat(leaving()).containsExactly(over, unknown, goesOn);
  }

  @Test
  void livesThatGoOnLeaveInOrderOfTheirEnds() {
    SimulatedEntry day = foretold(86_400, 1);
    SimulatedEntry second = foretold(1, 1);
    SimulatedEntry hour = foretold(3600, 1);
    SimulatedEntry minute = foretold(60, 1);
    assertThat(leaving()).containsExactly(second, minute, hour, day);
  }

  @Test
  void aPredictionHoldsUntilTheNextUse() {
    SimulatedEntry used = foretold(5, 1);
    SimulatedEntry unused = foretold(9, 1);
    context.nanos += 8 * SECOND;
    use(used);
    context.nanos += 4 * SECOND;
    assertThat(leaving()).containsExactly(unused, used);
  }

  @Test
  void amongTheUnknownCompleteSequencesLeaveFirstAndHalfWayIsAssumed() {
    SimulatedEntry begun = progress(100, 1000);
    SimulatedEntry unknown = progress(-1, -1);
    SimulatedEntry nearlyDone = progress(950, 1000);
    SimulatedEntry pastHalf = progress(600, 1000);
    assertThat(leaving()).containsExactly(nearlyDone, pastHalf, unknown, begun);
  }

  @Test
  void whatIsSetAsideIsNotOfferedUntilReleased() {
    SimulatedEntry first = progress(-1, -1);
    SimulatedEntry second = progress(-1, -1);
    Life life = Objects.requireNonNull(held.get(first));
    assertThat(policy.victim(demand)).isSameAs(first);
    policy.refused(life);
    assertThat(policy.victim(demand)).isSameAs(second);
    policy.released(life);
    assertThat(leaving()).containsExactly(first, second);
  }

  @Test
  void whatIsUsedWhileSetAsideStandsWhereThatUsePutIt() {
    SimulatedEntry first = progress(-1, -1);
    Life life = Objects.requireNonNull(held.get(first));
    policy.refused(life);
    use(first);
    SimulatedEntry later = progress(-1, -1);
    policy.released(life);
    assertThat(leaving()).containsExactly(first, later);
  }

  @Test
  void longLivesForetoldWronglyDoNotKeepNewcomersOut() {
    for (int i = 0; i < 100; i++) {
      foretold(86_400, 1);
    }
    int kept = 0;
    for (int i = 0; i < 200; i++) {
      SimulatedEntry fresh = progress(-1, -1);
      SimulatedEntry victim = (SimulatedEntry) Objects.requireNonNull(policy.victim(demand));
      policy.removed(Objects.requireNonNull(held.remove(victim)), RemovalCause.EVICTED);
      kept += victim == fresh ? 0 : 1;
    }
    assertThat(kept).isEqualTo(200);
    assertThat(policy.gauges().get("unpredicted")).isBetween(11.0, 13.0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void oneShotWorkLeavesBeforeWorkThatComesBack(long seed) {
    List<SimulatedRequest> trace = batchesAndChats(seed);
    PrefixCache lifetime =
        new PrefixCache(new TestContext(400, seed, Map.of()), new LifetimeProvider()::create);
    PrefixCache lru =
        new PrefixCache(new TestContext(400, seed, Map.of()), _ -> new LeastRecentlyUsed());
    trace.forEach(lifetime::run);
    trace.forEach(lru::run);
    assertThat(lifetime.hitRatio()).as("seed %d", seed).isGreaterThan(lru.hitRatio() + 0.05);
  }

  // Every other request is a chat that comes back, the others are batches that never do.
  private static List<SimulatedRequest> batchesAndChats(long seed) {
    Random random = new Random(seed);
    List<SimulatedRequest> trace = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      SimulatedRequest request = new SimulatedRequest();
      request.nanos = i * (SECOND / 2);
      boolean chat = random.nextBoolean();
      request.workload = chat ? "chat" : "batch";
      long first = 8L * (chat ? random.nextInt(80) : 1000 + i);
      request.chain = new long[8];
      for (int block = 0; block < 8; block++) {
        request.chain[block] = Traces.mix(first + block);
      }
      trace.add(request);
    }
    return trace;
  }

  @Test
  void thePredictorIsToldOfEveryUseWithTheTimeSinceTheOneBefore() {
    SimulatedEntry entry = foretold(5, 1);
    context.nanos += 3 * SECOND;
    use(entry);
    context.nanos += 4 * SECOND;
    leaving();
    assertThat(oracle.events).containsExactly("INSERTED 0.0", "REUSED 3.0", "LEFT 4.0");
  }

  @Test
  void explainsItself() {
    Life goesOn = Objects.requireNonNull(held.get(foretold(40, 1)));
    Life over = Objects.requireNonNull(held.get(foretold(0, 1)));
    Life complete = Objects.requireNonNull(held.get(progress(930, 1000)));
    Life unknown = Objects.requireNonNull(held.get(progress(-1, -1)));
    context.nanos += 12 * SECOND;
    assertThat(policy.explain(goesOn)).isEqualTo("expected to be of use for another 28.0 s");
    assertThat(policy.explain(over)).isEqualTo("expected to be of no more use since 12.0 s");
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
    context.nanos = random.nextLong() >> 8;
    LifetimePolicy fresh = new LifetimePolicy(context.clock(), oracle, 0.9);
    Map<SimulatedEntry, Life> lives = new LinkedHashMap<>();
    for (int step = 0; step < 6000; step++) {
      context.nanos += (long) (SECOND * Math.exp(random.nextGaussian() * 3 - 3));
      int choice = random.nextInt(5);
      if (choice < 2 || lives.size() < 20) {
        SimulatedEntry entry = entry();
        shape(entry, random);
        lives.put(entry, fresh.inserted(entry));
      } else if (choice < 4) {
        SimulatedEntry entry = new ArrayList<>(lives.keySet()).get(random.nextInt(lives.size()));
        touch(entry);
        shape(entry, random);
        fresh.accessed(Objects.requireNonNull(lives.get(entry)));
      } else {
        SimulatedEntry victim = (SimulatedEntry) Objects.requireNonNull(fresh.victim(demand));
        for (SimulatedEntry other : lives.keySet()) {
          assertThat(mustLeaveBefore(other, victim)).as("seed %d step %d", seed, step).isFalse();
        }
        fresh.removed(Objects.requireNonNull(lives.remove(victim)), RemovalCause.EVICTED);
      }
      assertThat(fresh.size()).isEqualTo(lives.size());
    }
  }

  private void shape(SimulatedEntry entry, Random random) {
    if (random.nextBoolean()) {
      oracle.foretell(entry, Math.exp(random.nextGaussian() * 3), 1);
    } else {
      oracle.foretell(entry, 0, 0.89);
      entry.maxSequenceLength = random.nextInt(3) == 0 ? -1 : 1000;
      entry.sequenceLength = random.nextInt(1100);
    }
  }

  private boolean mustLeaveBefore(SimulatedEntry a, SimulatedEntry b) {
    Double endOfA = oracle.end(a);
    Double endOfB = oracle.end(b);
    double now = context.nanos / 1e9;
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

  private static double order(SimulatedEntry entry) {
    double share = Completion.share(entry);
    double step = Double.isNaN(share) ? 7.5 : Math.min(15, Math.floor(share * 16));
    return -step * 1e9 + entry.accessTick;
  }

  private SimulatedEntry entry() {
    SimulatedEntry entry = new SimulatedEntry(tick, 0);
    touch(entry);
    return entry;
  }

  private void touch(SimulatedEntry entry) {
    entry.accessNanos = context.nanos;
    entry.accessTick = ++tick;
  }

  private SimulatedEntry foretold(double seconds, double confidence) {
    SimulatedEntry entry = entry();
    oracle.foretell(entry, seconds, confidence);
    insert(entry);
    return entry;
  }

  private SimulatedEntry progress(long length, long longest) {
    SimulatedEntry entry = entry();
    entry.sequenceLength = length;
    entry.maxSequenceLength = longest;
    insert(entry);
    return entry;
  }

  private void insert(SimulatedEntry entry) {
    held.put(entry, policy.inserted(entry));
  }

  private void use(SimulatedEntry entry) {
    touch(entry);
    policy.accessed(Objects.requireNonNull(held.get(entry)));
  }

  private List<Entry> leaving() {
    List<Entry> order = new ArrayList<>();
    for (Entry victim = policy.victim(demand); victim != null; victim = policy.victim(demand)) {
      order.add(victim);
      policy.removed(
          Objects.requireNonNull(held.remove((SimulatedEntry) victim)), RemovalCause.EVICTED);
    }
    return order;
  }

  /** A predictor that says what the test told it. */
  private static final class Oracle implements LifetimePredictor {
    private final Map<Entry, double[]> foretold = new HashMap<>();
    private final List<String> events = new ArrayList<>();

    void foretell(SimulatedEntry entry, double seconds, double confidence) {
      foretold.put(entry, new double[] {seconds, confidence});
    }

    @org.jspecify.annotations.Nullable
    Double end(SimulatedEntry entry) {
      double[] said = Objects.requireNonNull(foretold.get(entry));
      return said[1] < 0.9 ? null : entry.accessNanos / 1e9 + said[0];
    }

    // A slot lasts at most an eighth of the time ahead, and never less than 67 ms.
    double blur(SimulatedEntry entry) {
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
