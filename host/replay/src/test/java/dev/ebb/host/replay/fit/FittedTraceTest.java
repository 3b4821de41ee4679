package dev.ebb.host.replay.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceException;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import dev.ebb.host.trace.synthetic.SyntheticTrace.Shape;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FittedTraceTest {

  private static final int REQUESTS = 4_000;
  private static final int FEW_REQUESTS = 1_000;
  private static final int FEW_BLOCKS = 3_000;

  @ParameterizedTest
  @EnumSource(names = {"CHAT", "AGENT", "RAG"})
  void aGeneratedTraceHasTheReuseOfTheOther(Shape shape) {
    ProfileFitter.Fit recorded = fit(shape);
    FitReport report =
        FitReport.of("t", recorded, fit(new FittedTrace(recorded.profile(), 0, 0, 0, 7)));

    assertThat(report.lru().stream().filter(point -> point.blocks() >= FEW_BLOCKS))
        .isNotEmpty()
        .allSatisfy(point -> assertThat(Math.abs(point.difference())).isLessThan(8));
    // The distances of short system prompts follow from the popularity of tenants, which a profile
    // does not have.
    assertThat(Math.abs(report.largestHitRatioDifference().difference())).isLessThan(15);
    assertThat(report.lru().getLast().recorded()).isGreaterThan(0.2);
  }

  @Test
  void aReusedBlockHitsIfTheCacheIsAsLargeAsItsDistance() {
    ReuseCurve curve = fit(Shape.CHAT).curve();

    assertThat(curve.hitRatio(0)).isZero();
    assertThat(curve.shareOfReuses(curve.distinctBlocks())).isEqualTo(1);
    assertThat(curve.hitRatio(curve.distinctBlocks()))
        .isEqualTo(1 - (double) curve.distinctBlocks() / curve.references());
  }

  private static SyntheticOptions few() {
    return new SyntheticOptions().requests(FEW_REQUESTS);
  }

  @Test
  void equalSeedsGiveEqualTraces() {
    ReuseProfile profile = fit(new SyntheticTrace(Shape.AGENT, few())).profile();
    DecodedTrace one = decode(new FittedTrace(profile, 0, 0, 0, 1));
    DecodedTrace same = decode(new FittedTrace(profile, 0, 0, 0, 1));
    DecodedTrace other = decode(new FittedTrace(profile, 0, 0, 0, 2));

    assertThat(same.ids()).isEqualTo(one.ids());
    for (int i = 0; i < one.requests(); i++) {
      assertThat(same.inputTokens(i)).isEqualTo(one.inputTokens(i));
    }
    assertThat(other.ids()).isNotEqualTo(one.ids());
  }

  @Test
  void lengthRateAndBlockSizeCanBeChosen() {
    ReuseProfile profile = fit(new SyntheticTrace(Shape.CHAT, few())).profile();
    try (FittedTrace longer = new FittedTrace(profile, 3 * FEW_REQUESTS, 50, 64, 1)) {
      long tokens = 0;
      long blocks = 0;
      while (longer.next()) {
        tokens += longer.request().inputTokens();
        blocks += longer.request().blocks();
        assertThat(longer.request().outputTokens()).isPositive();
      }

      assertThat(longer.requestsRead()).isEqualTo(3 * FEW_REQUESTS);
      assertThat(longer.request().timestampNanos() / 1e9)
          .isBetween(3 * FEW_REQUESTS / 60.0, 3 * FEW_REQUESTS / 40.0);
      assertThat((double) tokens / blocks).isBetween(60.0, 64.0);
    }
    ReuseCurve shorter = fit(new FittedTrace(profile, FEW_REQUESTS / 4, 0, 0, 1)).curve();
    assertThat(shorter.references()).isPositive();
  }

  @Test
  void requestsWithoutBlocksKeepTheirShareAndTheirTokens() {
    ReuseProfile profile = fit(new WithEmpty()).profile();
    int empty = 0;
    try (FittedTrace generated = new FittedTrace(profile, 0, 0, 0, 1)) {
      while (generated.next()) {
        if (generated.request().blocks() == 0) {
          assertThat(generated.request().inputTokens()).isBetween(900L, 1_100L);
          empty++;
        }
      }
    }

    assertThat(profile.requests()).isEqualTo(REQUESTS);
    assertThat((double) empty / REQUESTS).isBetween(0.24, 0.26);
  }

  /** A trace in which every fourth request has tokens and no blocks. */
  private static final class WithEmpty implements TraceCursor {
    private final TraceCursor trace =
        new SyntheticTrace(Shape.CHAT, new SyntheticOptions().requests(REQUESTS));

    @Override
    public boolean next() {
      boolean any = trace.next();
      if (any && requestsRead() % 4 == 0) {
        request().blocks = 0;
        request().inputTokens = 1_000;
      }
      return any;
    }

    @Override
    public TraceRequest request() {
      return trace.request();
    }

    @Override
    public long requestsRead() {
      return trace.requestsRead();
    }

    @Override
    public double fraction() {
      return trace.fraction();
    }

    @Override
    public void close() {
      trace.close();
    }
  }

  @Test
  void aTraceWithoutReuseHasNoProfile() {
    SyntheticOptions independent = new SyntheticOptions().requests(1).turns(1);

    assertThatThrownBy(() -> fit(new SyntheticTrace(Shape.CHAT, independent)))
        .isInstanceOf(TraceException.class)
        .hasMessageContainingAll("t: ", "no reuse", "longer trace");
  }

  @Test
  void promptsAreCopiedFromTheirSources() {
    PromptTree prompts = new PromptTree();
    prompts.add(-1, 0, 0); // 0 1 2 3
    prompts.add(0, 2, 4); // 0 1 4 5
    prompts.add(1, 3, 6); // 0 1 4 6
    prompts.add(2, 1, 7); // 0 7

    assertThat(copy(prompts, 0, 4)).containsExactly(0, 1, 2, 3);
    assertThat(copy(prompts, 1, 4)).containsExactly(0, 1, 4, 5);
    assertThat(copy(prompts, 2, 4)).containsExactly(0, 1, 4, 6);
    assertThat(copy(prompts, 3, 2)).containsExactly(0, 7);
    assertThat(prompts.block(2, 3)).isEqualTo(4);
    assertThat(prompts.block(3, 1)).isZero();
  }

  private static int[] copy(PromptTree prompts, int prompt, int length) {
    int[] target = new int[length + 1];
    prompts.copy(prompt, length, target);
    return Arrays.copyOf(target, length);
  }

  static ProfileFitter.Fit fit(Shape shape) {
    return fit(new SyntheticTrace(shape, new SyntheticOptions().requests(REQUESTS)));
  }

  private static ProfileFitter.Fit fit(TraceCursor trace) {
    return ProfileFitter.fit("t", trace, Long.MAX_VALUE, 0, (requests, fraction) -> {});
  }

  private static DecodedTrace decode(FittedTrace trace) {
    return DecodedTrace.decode("t", trace);
  }
}
