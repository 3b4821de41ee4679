package dev.ebb.plugin.predictive;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Origin;
import dev.ebb.spi.sim.SimEntry;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import dev.ebb.testkit.TestContext;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PredictivePolicyTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theSameSeedGivesTheSameRun(long seed) {
    Trace trace = chats(seed, 3000);
    assertThat(run(trace, 200, seed).hitRatio()).isEqualTo(run(trace, 200, seed).hitRatio());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void learnsWhatLeastRecentlyUsedCannotSee(long seed) {
    Trace trace = chats(seed, 6000);
    assertThat(run(trace, 300, seed).hitRatio())
        .as("seed %d", seed)
        .isGreaterThan(PrefixRun.leastRecentlyUsed(trace, 300) + 0.01);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void keepsThePromptsOfTheBusiestTenantsAmongThoseUsedOften(long seed) {
    Trace trace = tenants(seed, 4000);
    assertThat(run(trace, 400, seed).hitRatio())
        .as("seed %d", seed)
        .isGreaterThan(PrefixRun.leastRecentlyUsed(trace, 400) + 0.08);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void objectsWithoutPrefixesAreOrderedToo(long seed) {
    Random random = new Random(seed);
    List<SimRequest> requests = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      boolean hot = random.nextInt(3) == 0;
      SimRequest request = new SimRequest(hot ? random.nextInt(80) : 1000 + i);
      request.nanos = i * 20_000_000L;
      requests.add(request);
    }
    Trace trace = new Trace(requests, 41_000);
    PrefixRun<?> run = run(trace, 100, seed);
    assertThat(run.hitRatio())
        .as("seed %d", seed)
        .isGreaterThan(PrefixRun.leastRecentlyUsed(trace, 100));
    assertThat(run.policy().size()).isEqualTo(100);
  }

  @Test
  void explainsAnIndexByItsMultipliers() {
    PrefixRun<?> run = run(chats(5, 3000), 200, 5);
    assertThat(run.scores()).hasSize(200).allSatisfy(score -> assertThat(score).isPositive());
    assertThat(run.explanations())
        .allSatisfy(explanation ->
            assertThat(explanation)
                .matches(
                    "expected [\\d.]+ hits per block-second: (first use|second use|[\\d-]+ uses|64"
                        + " or more uses) x[\\d.]+, [\\d-]+ new blocks x[\\d.]+, matched .*"
                        + " x[\\d.]+, depth [\\d-]+ x[\\d.]+, .*, age \\d+ s x[\\d.]+"));
  }

  @Test
  void namesTheOutputLengthAndTheHintWhereTheyAreLearnedFrom() {
    Trace trace = chats(5, 500);
    for (SimRequest request : trace.requests()) {
      request.outputTokens = 300;
      request.hint = 2;
    }
    TestContext context = TestContext.ofCapacity(200).with("factors", "sip-7");
    assertThat(PrefixRun.of(trace, context, PredictivePolicies.PREDICTIVE::create).explanations())
        .first()
        .asString()
        .contains("output of 256-511 tokens x", "hint 2 x");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aSmallCacheHasMoreHitsIfNotEveryBlockIsAdmitted(long seed) {
    Trace trace = chats(seed, 6000);
    TestContext admitsAll = TestContext.ofCapacity(100).withSeed(seed).with("admission", "false");
    PrefixRun<?> without = PrefixRun.of(trace, admitsAll, PredictivePolicies.PREDICTIVE::create);
    PrefixRun<?> with = run(trace, 100, seed);
    assertThat(with.hitRatio()).as("seed %d", seed).isGreaterThan(without.hitRatio());
    assertThat(with.policy().gauges().get("rejections")).isPositive();
    assertThat(without.policy().gauges().get("rejections")).isZero();
  }

  @Test
  void showsItsStateInGauges() {
    Map<String, Double> gauges = new HashMap<>(run(chats(5, 3000), 100, 5).policy().gauges());
    assertThat(gauges)
        .containsOnlyKeys(
            "leaves",
            "awaited",
            "cohorts",
            "ghosts",
            "ghost-hits",
            "rejections",
            "behind-lru",
            "follows-lru");
    assertThat(gauges.remove("behind-lru")).as("it is ahead").isNegative();
    assertThat(gauges.remove("follows-lru")).isZero();
    assertThat(gauges.remove("awaited")).as("no request waits").isZero();
    assertThat(gauges.values()).allSatisfy(value -> assertThat(value).isPositive());
  }

  @Test
  void whatIsTouchedWhileItIsHandedOverIsAsOldAsWhatWasListedBeforeIt() {
    TestContext context = TestContext.ofCapacity(10);
    context.clock().advance(Duration.ofSeconds(1_000));
    PredictivePolicy policy =
        new PredictivePolicy(context, PredictiveSettings.read(context.settings()));
    context.clock().advance(Duration.ofSeconds(1_000));

    CachedBlock cold = policy.inserted(handedOver(1, 100));
    CachedBlock touched = policy.inserted(handedOver(2, 1_999));
    CachedBlock warm = policy.inserted(handedOver(3, 900));

    assertThat(policy.score(touched)).isEqualTo(policy.score(cold));
    assertThat(policy.score(warm)).isGreaterThan(policy.score(cold));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aPolicyThatLoadsWhatItHasLearnedStartsBetter(long seed) throws IOException {
    ByteArrayOutputStream learned = new ByteArrayOutputStream();
    Trace next = chats(seed + 100, 1000);
    Supplier<TestContext> context =
        () ->
            TestContext.ofCapacity(300)
                .withSeed(seed)
                .with("factors", "sip-6")
                .with("admission", "false")
                .with("tolerance", "1");
    PrefixRun.of(chats(seed, 6000), context.get(), PredictivePolicies.PREDICTIVE::create)
        .policy()
        .saveState(learned);
    PrefixRun<?> restarted =
        PrefixRun.of(
            next,
            context.get(),
            with -> {
              BlockPolicy<?> policy = PredictivePolicies.PREDICTIVE.create(with);
              load(policy, learned.toByteArray());
              return policy;
            });
    assertThat(restarted.hitRatio())
        .as("seed %d", seed)
        .isGreaterThan(
            PrefixRun.of(next, context.get(), PredictivePolicies.PREDICTIVE::create).hitRatio()
                + 0.01);
  }

  @Test
  void aStateWithoutTheMissesOfPlainObjectsIsRefused() throws IOException {
    BlockPolicy<?> policy = PredictivePolicies.PREDICTIVE.create(TestContext.ofCapacity(10));
    ByteArrayOutputStream state = new ByteArrayOutputStream();
    policy.saveState(state);
    byte[] cut = Arrays.copyOf(state.toByteArray(), state.size() - Double.BYTES);
    assertThatThrownBy(() -> policy.loadState(new ByteArrayInputStream(cut)))
        .isInstanceOf(EOFException.class);
  }

  private static void load(BlockPolicy<?> policy, byte[] state) {
    try {
      policy.loadState(new ByteArrayInputStream(state));
    } catch (IOException refused) {
      throw new UncheckedIOException(refused);
    }
  }

  private static SimEntry handedOver(int id, long lastAccessSeconds) {
    SimEntry entry = new SimEntry(id);
    entry.origin = Origin.HANDED_OVER;
    entry.lastAccessNanos = SECONDS.toNanos(lastAccessSeconds);
    return entry;
  }

  private static PrefixRun<?> run(Trace trace, int capacity, long seed) {
    TestContext context = TestContext.ofCapacity(capacity).withSeed(seed);
    return PrefixRun.of(trace, context, PredictivePolicies.PREDICTIVE::create);
  }

  // Questions of 40 tenants by Zipf's law, each behind a long prompt of its tenant.
  private static Trace tenants(long seed, int requests) {
    Random random = new Random(seed);
    int id = 0;
    List<int[]> prompts = new ArrayList<>();
    List<Integer> draws = new ArrayList<>();
    for (int tenant = 0; tenant < 40; tenant++) {
      int[] prompt = new int[20 + random.nextInt(100)];
      for (int block = 0; block < prompt.length; block++) {
        prompt[block] = id++;
      }
      prompts.add(prompt);
      draws.addAll(Collections.nCopies(400 / (tenant + 1), tenant));
    }
    List<SimRequest> trace = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      int[] prompt = prompts.get(draws.get(random.nextInt(draws.size())));
      SimRequest request = new SimRequest(Arrays.copyOf(prompt, prompt.length + 3));
      request.nanos = i * 1_500_000_000L;
      for (int block = prompt.length; block < request.ids.length; block++) {
        request.ids[block] = id++;
      }
      trace.add(request);
    }
    return new Trace(trace, id);
  }

  // Chats that share a root: those with a short first prompt continue, the others end immediately.
  private static Trace chats(long seed, int requests) {
    Random random = new Random(seed);
    List<SimRequest> trace = new ArrayList<>();
    List<int[]> open = new ArrayList<>();
    int id = 1;
    for (int i = 0; i < requests; i++) {
      boolean goesOn = open.size() > 25;
      int[] before = goesOn ? open.remove(random.nextInt(open.size())) : new int[] {0};
      boolean once = !goesOn && random.nextBoolean();
      int more = once ? 12 : 2;
      SimRequest request = new SimRequest(Arrays.copyOf(before, before.length + more));
      request.nanos = i * 500_000_000L;
      for (int block = before.length; block < request.ids.length; block++) {
        request.ids[block] = id++;
      }
      if (!once && request.ids.length < 20) {
        open.add(request.ids);
      }
      trace.add(request);
    }
    return new Trace(trace, id);
  }
}
