package dev.ebb.host.engine.sequence;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.device.Slab;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.prune.TokenEviction.Cause;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.tokens.signals.Observations;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenPrunerTest {

  private static final Observations NOTHING = GenerationLoop.observing(false, false);

  private final HostDevice host = new HostDevice();
  private final List<String> closed = new ArrayList<>();

  @AfterEach
  void close() {
    host.close();
  }

  /** Keeps the first two and the newest tokens; how it misbehaves is in its name. */
  private class Policy implements TokenPolicy {
    private final String name;

    Policy(String name) {
      this.name = name;
    }

    @Override
    public Set<Signal> signals() {
      return switch (name) {
        case "needs-attention" -> EnumSet.of(Signal.ACCUMULATED_ATTENTION);
        case "needs-queries" -> EnumSet.of(Signal.QUERY_MEAN, Signal.VALUE_NORM);
        default -> EnumSet.noneOf(Signal.class);
      };
    }

    @Override
    public Granularity granularity() {
      return Granularity.SEQUENCE;
    }

    @Override
    public Trigger trigger() {
      return switch (name) {
        case "every-step" -> Trigger.EVERY_STEP;
        case "after-prefill" -> Trigger.AFTER_PREFILL;
        default -> Trigger.UNDER_PRESSURE;
      };
    }

    @Override
    public void protect(TokenView view, BitSet mask) {
      if (name.equals("throws")) {
        throw new IllegalStateException("planned");
      }
      mask.set(0, Math.min(2, view.length()));
      if (name.equals("protects-too-much")) {
        mask.set(view.length());
      }
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      for (int i = 0; i < view.length(); i++) {
        out[i] = name.equals("not-a-number") ? Float.NaN : i;
      }
      if (name.equals("overflows")) {
        score(view, layer, out);
      }
    }

    @Override
    public void close() {
      closed.add(name);
    }
  }

  private GenerationLoop loop(String tokens) {
    return loop(host, tokens, NOTHING);
  }

  private GenerationLoop loop(Device device, String tokens, Observations observed) {
    BiFunction<GenerationLoop, String, TokenPolicy> made = (loop, name) -> new Policy(name);
    return new GenerationLoop(device, 1, GenerationLoop.config(tokens), observed, made);
  }

  @Test
  void aWindowIsHeldForTenTimesItsLengthInFlatMemory() {
    try (GenerationLoop loop = loop("policy = sliding-window, window = 32")) {
      loop.run(40);
      int used = loop.usedBlocks();
      List<TokenEviction> evictions = loop.run(10 * 32);

      assertThat(loop.longest()).isEqualTo(32);
      assertThat(loop.sequence.position()).isEqualTo(360);
      assertThat(loop.usedBlocks()).isEqualTo(used).isEqualTo(8);
      assertThat(evictions)
          .allSatisfy(each -> {
            assertThat(each.evicted()).isTrue();
            assertThat(each.cause()).isEqualTo(Cause.LENGTH);
            assertThat(each.removedTokens()).isOne();
            assertThat(each.policy()).isEqualTo("sliding-window");
          });
      assertThat(loop.manager.counters().removedTokens()).isEqualTo(360 - 32);
    }
    assertThat(closed).containsExactly("sliding-window");
  }

  @Test
  void noneDoesNothing() {
    try (GenerationLoop loop = loop("policy = none, window = 4")) {
      assertThat(loop.run(20)).containsOnly(TokenEviction.NOTHING_TO_DO);
      assertThat(loop.sequence.length()).isEqualTo(20);
      assertThat(loop.manager.maybeEvict(loop.sequence, 3).evicted()).isFalse();
      assertThat(loop.sequence.signals).isNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'keep-ratio = 0.5, window = 20, target-ratio = 0.25',7,7",
    "'keep-ratio = 0.5, window = 20, target-ratio = 0.25',0,20",
    "'keep-ratio = 0.5, target-ratio = 0.25',0,20",
    "'target-ratio = 0.25',0,10",
    "'',0,30"
  })
  void aSizeGoesBeforeTheWindowBeforeTheRatioBeforeTheRatioForAll(
      String tokens, int size, int length) {
    String config = "policy = after-prefill" + (tokens.isEmpty() ? "" : ", " + tokens);
    try (GenerationLoop loop = loop(config)) {
      for (int i = 0; i < 40; i++) {
        loop.sequence.append(1);
        loop.computeAndObserve();
      }
      assertThat(loop.manager.maybeEvict(loop.sequence, size).length()).isEqualTo(length);
      assertThat(loop.sequence.length()).isEqualTo(length);
    }
  }

  @Test
  void aPolicyForEveryStepKeepsTheSizeOfItsFirstOne() {
    try (GenerationLoop loop = loop("policy = every-step, target-ratio = 0.5")) {
      for (int i = 0; i < 40; i++) {
        loop.sequence.append(1);
        loop.computeAndObserve();
      }
      loop.run(30);
      assertThat(loop.sequence.length()).isEqualTo(20);
    }
  }

  @Test
  void underPressureAPolicysOwnTimeDoesNotCount() {
    try (GenerationLoop loop = loop("policy = every-step, trigger = pressure")) {
      assertThat(loop.run(20)).containsOnly(TokenEviction.NOTHING_TO_DO);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"throws", "not-a-number", "protects-too-much", "overflows"})
  void aBrokenPolicyLosesNothing(String broken) {
    try (GenerationLoop loop = loop("policy = %s, window = 8".formatted(broken))) {
      List<TokenEviction> evictions = loop.run(12);

      assertThat(loop.sequence.length()).isEqualTo(12);
      assertThat(evictions.getLast().evicted()).isFalse();
      assertThat(evictions.getLast().cause()).isEqualTo(Cause.LENGTH);
      assertThat(evictions.getLast().detail()).contains("token policy '" + broken + "' failed");
      assertThat(loop.manager.counters().faults()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"throws", "not-a-number"})
  void slidingWindowTakesABrokenPolicysPlaceIfThatIsWanted(String broken) {
    String tokens = "window = 8, on-missing-signal = sliding-window, policy = ";
    try (GenerationLoop loop = loop(tokens + broken)) {
      loop.run(12);

      assertThat(loop.sequence.length()).isEqualTo(8);
      assertThat(loop.manager.counters().fallbacks()).isEqualTo(4);
      assertThat(loop.pruning().counters().faults()).isEqualTo(4);
      assertThat(loop.pruning().fallbacksAfterFault()).isEqualTo(4);
      assertThat(passes(loop, broken)).isZero();
      assertThat(passes(loop, "sliding-window")).isEqualTo(4);
      assertThat(requireNonNull(loop.pruning("sliding-window")).droppedTokens()).isEqualTo(4);
    }
  }

  @Test
  void whatTheEngineDoesNotHandOverIsRefusedOrReplaced() {
    assertThatThrownBy(() -> loop("policy = needs-attention"))
        .isInstanceOf(UserError.class)
        .hasMessage(
            "token policy 'needs-attention' needs [ACCUMULATED_ATTENTION], which this engine does not provide: set its Observations (QUERIES or ATTENTION of EBB.SEQ MODEL), choose another ebb.tokens.policy, or set ebb.tokens.on-missing-signal = sliding-window");
    assertThat(closed).containsExactly("needs-attention");

    String tokens = "policy = needs-attention, window = 8, on-missing-signal = sliding-window";
    try (GenerationLoop loop = loop(tokens)) {
      loop.run(12);
      assertThat(loop.sequence.length()).isEqualTo(8);
      assertThat(loop.manager.counters().fallbacks()).isOne();
      assertThat(loop.pruning().fallbacksWithoutSignal()).isOne();
      assertThat(loop.pruning("needs-attention")).isNull();
    }
  }

  @Test
  void asLongAsASignalIsMissingNothingLeaves() {
    try (GenerationLoop loop =
        loop(host, "policy = needs-attention, window = 8", GenerationLoop.observing(true, true))) {
      loop.run(8);
      loop.sequence.append(1, 1);

      TokenEviction result = loop.manager.maybeEvict(loop.sequence);

      assertThat(result.evicted()).isFalse();
      assertThat(result.detail())
          .isEqualTo(
              "token policy 'needs-attention': the newest token's attention in layer 0 was not observed");
      assertThat(loop.manager.counters().missingSignals()).isOne();
      assertThat(loop.pruning().counters().missingSignals()).isOne();
    }
  }

  @Test
  void queriesBeforeTheirRotationAreRefusedOrAwaited() {
    assertThatThrownBy(() -> loop("policy = needs-queries"))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith(
            "token policy 'needs-queries' needs [QUERY_MEAN], which this engine does not provide");

    try (GenerationLoop loop =
        loop(host, "policy = needs-queries, window = 8", GenerationLoop.observing(true, false))) {
      loop.run(12);
      assertThat(loop.sequence.length()).isEqualTo(8);
      loop.sequence.append(1);

      TokenEviction result = loop.manager.maybeEvict(loop.sequence);

      assertThat(result.evicted()).isFalse();
      assertThat(result.detail())
          .isEqualTo(
              "token policy 'needs-queries': the newest token's query before its rotation in layer 0 was not observed");
    }
  }

  @Test
  void theMetricsAnswerWhileAPolicyTakesItsTime() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch read = new CountDownLatch(1);
    BiFunction<GenerationLoop, String, TokenPolicy> made =
        (loop, name) ->
            new Policy(name) {
              @Override
              public void protect(TokenView view, BitSet mask) {
                asked.countDown();
                awaitPatiently(read);
              }
            };
    try (GenerationLoop loop =
        new GenerationLoop(
            host, 1, GenerationLoop.config("policy = slow, window = 2"), NOTHING, made)) {
      Thread engine = Thread.ofPlatform().start(() -> loop.run(3));
      awaitPatiently(asked);
      assertThat(passes(loop, "slow")).isZero();
      read.countDown();
      engine.join();
      assertThat(passes(loop, "slow")).isOne();
    }
  }

  private static long passes(GenerationLoop loop, String policy) {
    return requireNonNull(loop.pruning(policy)).passes();
  }

  private static void awaitPatiently(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void anotherPolicyCanBeActivatedBetweenSteps() {
    try (GenerationLoop loop =
        loop(host, "policy = none, target-ratio = 0.5", GenerationLoop.observing(true, true))) {
      loop.run(10);
      loop.manager.use("needs-attention");
      loop.run(5);
      assertThat(loop.sequence.length()).isEqualTo(15);
      assertThat(loop.manager.maybeEvict(loop.sequence, 6).policy()).isEqualTo("needs-attention");
      loop.manager.use("none");
      loop.run(5);
      assertThat(loop.sequence.length()).isEqualTo(11);
    }
  }

  @Test
  void littleMemoryPrunesAndChoosesThePolicyAndEnoughGivesItUpAgain() {
    Measured device = new Measured(host);
    String tokens =
        "policy = plain, memory-threshold = 100 MiB, target-ratio = 0.5, hysteresis = \"50 %\", pressure = [\"50 MiB short\"]";
    try (GenerationLoop loop = loop(new FailingDevice("host", device), tokens, NOTHING)) {
      assertThat(loop.run(20)).containsOnly(TokenEviction.NOTHING_TO_DO);

      device.available = 80L << 20;
      assertThat(evictAfresh(loop).policy()).isEqualTo("plain");
      device.available = 40L << 20;
      assertThat(evictAfresh(loop).policy()).isEqualTo("short");
      device.available = 70L << 20;
      assertThat(evictAfresh(loop).policy()).isEqualTo("short");
      device.available = 80L << 20;
      TokenEviction last = evictAfresh(loop);
      assertThat(last.policy()).isEqualTo("plain");
      assertThat(last.cause()).isEqualTo(Cause.MEMORY);
      device.available = 200L << 20;
      assertThat(evictAfresh(loop)).isEqualTo(TokenEviction.NOTHING_TO_DO);
    }
  }

  /** Lets the sequence grow back and the last look at the memory grow old. */
  private static TokenEviction evictAfresh(GenerationLoop loop) {
    while (loop.sequence.length() < 40) {
      loop.sequence.append(1);
      loop.computeAndObserve();
    }
    loop.manager.lookAfresh();
    return loop.manager.maybeEvict(loop.sequence);
  }

  @Test
  void aFullPoolPrunes() {
    try (GenerationLoop loop = loop("policy = plain, target-ratio = 0.5")) {
      loop.sequence.append(new int[100]);
      assertThat(loop.manager.maybeEvict(loop.sequence)).isEqualTo(TokenEviction.NOTHING_TO_DO);
      int most = 300 * 4;
      loop.sequence.append(new int[most - 100]);
      TokenEviction result = loop.manager.maybeEvict(loop.sequence);
      assertThat(result.cause()).isEqualTo(Cause.POOL);
      assertThat(result.length()).isEqualTo(most / 2);
      assertThat(result.freedBytes()).isPositive();
    }
  }

  @Test
  void whatThePoolsShapeCannotKeepApartIsRefused() {
    assertThatThrownBy(() -> loop("policy = plain, layers = [\"0 other\"]"))
        .hasMessage(
            "ebb.tokens.layers needs a KvLayout (LANEGROUPS of EBB.SEQ MODEL) of '2' lane groups, not '1': lanes of one group keep equally many tokens");
    assertThatThrownBy(() -> loop("policy = plain, layers = [\"1-2 other\"]"))
        .hasMessage("layers '1-2' of ebb.tokens.layers must be from 0 to 1");
    assertThatThrownBy(() -> loop("policy = plain, budget = ada"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("the budget 'ada' needs a policy with one kept set per KV head");
  }

  @Test
  void layersCanHavePoliciesOfTheirOwn() {
    BiFunction<GenerationLoop, String, TokenPolicy> made =
        (loop, name) -> name.equals("oldest") ? new OldestStay() : new Policy(name);
    try (GenerationLoop loop =
        new GenerationLoop(
            host,
            2,
            GenerationLoop.config("policy = plain, window = 6, layers = [\"1 oldest\"]"),
            NOTHING,
            made)) {
      loop.run(10);
      try (KvAccess access = loop.sequence.reading()) {
        assertThat(access.positions(0)).containsExactlyInAnyOrder(0, 1, 6, 7, 8, 9);
        assertThat(access.positions(2)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
      }
    }
  }

  /** Keeps the oldest tokens. */
  private static final class OldestStay implements TokenPolicy {
    @Override
    public Set<Signal> signals() {
      return Set.of();
    }

    @Override
    public Granularity granularity() {
      return Granularity.LAYER;
    }

    @Override
    public Trigger trigger() {
      return Trigger.UNDER_PRESSURE;
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      for (int i = 0; i < out.length; i++) {
        out[i] = -i;
      }
    }
  }

  /** Host memory that says how much is available. */
  private static final class Measured implements Device {
    private final Device device;
    private long available = 1L << 30;

    Measured(Device device) {
      this.device = device;
    }

    @Override
    public String name() {
      return device.name();
    }

    @Override
    public DeviceKind kind() {
      return device.kind();
    }

    @Override
    public MemoryMonitor memory() {
      return new MemoryMonitor() {
        @Override
        public long totalBytes() {
          return 1L << 30;
        }

        @Override
        public long availableBytes() {
          return available;
        }

        @Override
        public String describe() {
          return "planned";
        }
      };
    }

    @Override
    public Slab reserve(long bytes) {
      return device.reserve(bytes);
    }

    @Override
    public void close() {}
  }
}
