package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.testkit.TestContext;
import dev.ebb.testkit.TestRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LruGuardTest {

  private static final int CAPACITY = 40;
  private static final int PROMPT = 4;

  /** Prompts that were used before return, and no others. */
  private final IndexCache right = indices(3, 0);

  /** Prompts that are new return, and no others. */
  private final IndexCache wrong = indices(0, 3);

  /** Whether the real cache has the prompts that return. */
  private boolean hits = true;

  private final RunningRequest running = new RunningRequest();
  private long now;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anOrderThatLosesIsLeftForLru(long seed) {
    LruGuard guard = guard(wrong, "0.0002");
    serve(guard, seed, 3000);
    assertThat(guard.followsLru()).isTrue();
    assertThat(guard.behind()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anOrderThatGainsIsKept(long seed) {
    LruGuard guard = guard(right, "0.0002");
    serve(guard, seed, 3000);
    assertThat(guard.followsLru()).isFalse();
    assertThat(guard.behind()).isNegative();
  }

  @Test
  void anOrderThatLosesInTheRealCacheOnlyIsLeftForAWhile() {
    LruGuard guard = guard(right, "0.0002");
    hits = false;
    int followed = 0;
    for (int i = 0; i < 3000; i++) {
      request(guard, CAPACITY, i % 2 == 0, i % 8, i);
      followed += guard.followsLru() ? 1 : 0;
    }
    assertThat(guard.behind()).isNotPositive();
    assertThat(followed).isPositive();
  }

  @Test
  void anOrderIsNotTriedWhereLruHitsNearlyEverything() {
    TestContext context = TestContext.ofCapacity(CAPACITY);
    LruGuard guard = new LruGuard(right, PredictiveSettings.read(context.settings()), CAPACITY);
    for (int i = 0; i < 3000; i++) {
      request(guard, CAPACITY, true, i % 4, i);
    }
    guard.removed(-1, true);
    request(guard, CAPACITY, true, 0, 0);
    assertThat(guard.followsLru()).isTrue();
  }

  @Test
  void anOrderThatHasLearnedIsTrustedAgain() {
    SurvivalModel model = model(0, 3);
    IndexCache indices = new IndexCache(model);
    LruGuard guard = guard(indices, "0.0002");
    serve(guard, 1, 3000);
    assertThat(guard.followsLru()).isTrue();
    learn(model, 300, 0);
    indices.clear();
    serve(guard, 2, 10_000);
    assertThat(guard.followsLru()).isFalse();
  }

  @Test
  void anyLossCanBeTolerated() {
    LruGuard guard = guard(wrong, "1");
    serve(guard, 1, 3000);
    assertThat(guard.behind()).isPositive();
    assertThat(guard.followsLru()).isFalse();
  }

  @Test
  void aLargeCacheIsComparedByASample() {
    LruGuard guard = guard(wrong, "0.0002");
    guard.capacity(1 << 16);
    Random random = new Random(5);
    for (int i = 0; i < 60_000; i++) {
      request(guard, 1 << 16, random.nextBoolean(), random.nextInt(8000), i);
    }
    assertThat(guard.followsLru()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theHitsOfLruAreThoseOfASimulation(long seed) {
    LruGuard guard = guard(right, "0.0002");
    Random random = new Random(seed);
    List<Long> coldestFirst = new ArrayList<>();
    SimulatedCache learned = new SimulatedCache(right, 64);
    SampledChain chain = new SampledChain();
    double behind = 0;
    for (int i = 0; i < 2000; i++) {
      boolean returns = random.nextBoolean();
      int prompt = random.nextInt(8);
      request(guard, CAPACITY, returns, prompt, i);
      chain.clear(0);
      int kept = 0;
      long first = first(returns, prompt, i);
      while (kept < PROMPT && coldestFirst.contains(first + kept)) {
        kept++;
      }
      for (int index = PROMPT - 1; index >= 0; index--) {
        chain.add(first + index, blockClass(returns ? 2 : 1));
        coldestFirst.remove(first + index);
        coldestFirst.add(first + index);
      }
      while (coldestFirst.size() > CAPACITY) {
        coldestFirst.removeFirst();
      }
      int hits = learned.serve(chain, CAPACITY, PredictivePolicy.REJECTED_BELOW, now);
      // A cache that fills has been used for twice its size.
      if ((i + 1) * PROMPT > 2 * CAPACITY) {
        behind = behind * Math.pow(0.5, 0.001) + kept - hits;
      }
      assertThat(guard.behind()).isEqualTo(behind);
    }
  }

  private static LruGuard guard(IndexCache indices, String tolerance) {
    TestContext context = TestContext.ofCapacity(CAPACITY).with("tolerance", tolerance);
    LruGuard guard = new LruGuard(indices, PredictiveSettings.read(context.settings()), CAPACITY);
    guard.removed(-1, true);
    return guard;
  }

  /** Half of the requests are one of a few prompts, and the others are new. */
  private void serve(LruGuard guard, long seed, int count) {
    Random random = new Random(seed);
    for (int i = 0; i < count; i++) {
      request(guard, CAPACITY, random.nextBoolean(), random.nextInt(8), i + (int) seed * 100_000);
    }
  }

  private void request(LruGuard guard, long residents, boolean returns, int prompt, int number) {
    now += 100_000_000;
    long first = first(returns, prompt, number);
    running.start(TestRequest.of(first, first + 1, first + 2, first + 3));
    guard.ending(running);
    for (int index = PROMPT - 1; index >= 0; index--) {
      guard.add(running.fingerprint(index), blockClass(returns ? 2 : 1), returns, returns && hits);
    }
    guard.ended(residents, now);
    running.stop();
  }

  private static long first(boolean returns, int prompt, int number) {
    return 8L * (returns ? prompt : 1_000_000 + number);
  }

  private static IndexCache indices(double ofOthers, double ofFirst) {
    return new IndexCache(model(ofOthers, ofFirst));
  }

  private static SurvivalModel model(double ofOthers, double ofFirst) {
    SurvivalModel model = new SurvivalModel(FactorSet.SIP_4, 1);
    learn(model, ofOthers, ofFirst);
    return model;
  }

  private static void learn(SurvivalModel model, double ofOthers, double ofFirst) {
    for (int bin = 0; bin < Ages.BINS; bin++) {
      model.observe(blockClass(2), bin, 10, ofOthers);
      model.observe(blockClass(1), bin, 10, ofFirst);
    }
  }

  private static int blockClass(int uses) {
    return BlockClass.of(BlockClass.request(0, 0, 0, 0), 9, uses, 1);
  }
}
