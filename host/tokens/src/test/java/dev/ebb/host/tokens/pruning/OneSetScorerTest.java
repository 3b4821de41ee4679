package dev.ebb.host.tokens.pruning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.host.tokens.KeptTokens;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OneSetScorerTest {

  private static final int LAYERS = 2;
  private static final int KV_HEADS = 2;

  /** Six tokens, of which nothing is known. */
  private record Tokens(int length) implements TokenView {
    @Override
    public int layers() {
      return LAYERS;
    }

    @Override
    public int kvHeads() {
      return KV_HEADS;
    }

    @Override
    public int queryHeads() {
      return 2 * KV_HEADS;
    }

    @Override
    public int headDimension() {
      return 8;
    }

    @Override
    public long position() {
      return length;
    }

    @Override
    public MemorySegment signal(TokenPolicy.Signal signal, int layer) {
      throw new IllegalStateException("nothing was declared");
    }
  }

  /** Scores as they are written down, by layer. */
  private record Written(Granularity granularity, int newest, List<float[]> scores)
      implements TokenPolicy {
    @Override
    public Set<Signal> signals() {
      return Set.of();
    }

    @Override
    public Trigger trigger() {
      return Trigger.UNDER_PRESSURE;
    }

    @Override
    public void protect(TokenView view, BitSet mask) {
      mask.set(view.length() - newest, view.length());
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      assertThat(out).hasSameSizeAs(scores.get(layer));
      System.arraycopy(scores.get(layer), 0, out, 0, out.length);
    }
  }

  private static TokenPolicy written(
      TokenPolicy.Granularity granularity, int newest, float[]... scores) {
    return new Written(granularity, newest, List.of(scores));
  }

  private static int[] kept(TokenPolicy policy, int length, int keep) {
    KeptTokens kept = new KeptTokens();
    new OneSetScorer("written", policy).select(new Tokens(length), KeepTarget.ofSize(keep), kept);
    assertThat(kept.sets()).isEqualTo(1);
    return kept.tokens(0);
  }

  @Test
  void theMeanOverLayersAndHeadsDecides() {
    TokenPolicy byHead =
        written(
            TokenPolicy.Granularity.KV_HEAD,
            0,
            new float[] {9, 0, 3, 1, /* second head */ 0, 0, 3, 1},
            new float[] {0, 1, 3, 1, /* second head */ 0, 1, 3, 9});

    // The sums are 9, 2, 12 and 12.
    assertThat(kept(byHead, 4, 1)).containsExactly(2);
    assertThat(kept(byHead, 4, 2)).containsExactly(2, 3);
    assertThat(kept(byHead, 4, 3)).containsExactly(0, 2, 3);
  }

  @Test
  void aSetOfALayerCountsOnceAndOneOfTheSequenceAlone() {
    TokenPolicy byLayer =
        written(TokenPolicy.Granularity.LAYER, 0, new float[] {1, 0, 2}, new float[] {1, 5, 0});
    TokenPolicy bySequence =
        written(TokenPolicy.Granularity.SEQUENCE, 0, new float[] {1, 0, 2}, new float[0]);

    assertThat(kept(byLayer, 3, 1)).containsExactly(1);
    assertThat(kept(bySequence, 3, 1)).containsExactly(2);
  }

  @Test
  void whatIsProtectedStaysAndABufferIsUsedAgain() {
    TokenPolicy policy =
        written(
            TokenPolicy.Granularity.LAYER,
            2,
            new float[] {4, 3, 2, 1, Float.NaN, 0},
            new float[] {0, 0, 0, 0, 0, 0});

    assertThat(kept(policy, 6, 3)).containsExactly(0, 4, 5);
    assertThat(kept(policy, 6, 1)).containsExactly(5);
    assertThat(kept(policy, 6, 9)).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void aPolicyThatFailsIsNamed() {
    TokenPolicy wrong =
        written(TokenPolicy.Granularity.LAYER, 0, new float[] {1, Float.NaN}, new float[] {1, 1});

    assertThatThrownBy(() -> kept(wrong, 2, 1))
        .isInstanceOf(TokenPolicyException.class)
        .hasMessageContaining("token policy 'written' failed")
        .hasMessageContaining("'1' is not a number");
  }
}
