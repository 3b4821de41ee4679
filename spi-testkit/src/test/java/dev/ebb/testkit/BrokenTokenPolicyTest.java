package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import dev.ebb.testkit.FadingPolicyContractTest.Fading;
import dev.ebb.testkit.NormPolicyProvider.Norm;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class BrokenTokenPolicyTest {

  @Test
  void protectsTokensThatAreNotThere() {
    assertCaught(
        "protects only tokens that exist",
        Rule.MASK,
        () ->
            new Norm() {
              @Override
              public void protect(TokenView view, BitSet mask) {
                mask.set(0, 4);
              }
            });
  }

  @Test
  void readsWhatItDidNotDeclare() {
    assertDeclarationCaught(() ->
        new Norm() {
          @Override
          public Set<Signal> signals() {
            return Set.of(Signal.KEYS);
          }
        });
  }

  @Test
  void declaresMoreAndMore() {
    assertDeclarationCaught(() ->
        new Norm() {
          private boolean scored;

          @Override
          public Trigger trigger() {
            return scored ? Trigger.EVERY_STEP : Trigger.AFTER_PREFILL;
          }

          @Override
          public void score(TokenView view, int layer, float[] out) {
            super.score(view, layer, out);
            scored = true;
          }
        });
  }

  @Test
  void dividesByZero() {
    assertCaught(
        "scores every token",
        Rule.SCORES,
        () ->
            new Norm() {
              @Override
              public void score(TokenView view, int layer, float[] out) {
                super.score(view, layer, out);
                for (int i = 0; i < out.length; i++) {
                  out[i] = 1 / out[i];
                }
              }
            });
  }

  @Test
  void writesBeyondTheEnd() {
    assertCaught(
        "scores every token",
        Rule.NO_EXCEPTION,
        () ->
            new Norm() {
              @Override
              public Granularity granularity() {
                return Granularity.LAYER;
              }
            });
  }

  @Test
  void countsItsCalls() {
    assertCaught(
        "remembers nothing",
        Rule.STATELESS,
        () ->
            new Norm() {
              private int calls;

              @Override
              public void score(TokenView view, int layer, float[] out) {
                super.score(view, layer, out);
                Arrays.fill(out, calls++);
              }
            });
  }

  @Test
  void remembersNormsByPositionItself() {
    assertCaught(
        "remembers nothing",
        Rule.STATELESS,
        () ->
            new Norm() {
              private final float[] lowest = new float[1 << 15];

              @Override
              public void score(TokenView view, int layer, float[] out) {
                super.score(view, layer, out);
                for (int i = 0; i < out.length; i++) {
                  int head = i / view.length();
                  int position = (int) view.position(layer, head, i % view.length());
                  lowest[position] = Math.min(lowest[position], out[i]);
                  out[i] = lowest[position];
                }
              }
            });
  }

  @Test
  void writesInfinityToItsState() {
    assertCaught(
        "scores every token",
        Rule.STATE,
        () ->
            new Fading() {
              @Override
              public void score(TokenView view, int layer, float[] out) {
                super.score(view, layer, out);
                MemorySegment state = view.signal(Signal.STATE, layer);
                for (int i = 0; i < out.length; i++) {
                  state.setAtIndex(ValueLayout.JAVA_FLOAT, i, 1 / 0f);
                }
              }
            });
  }

  @Test
  void carriesScoresFromLayerToLayer() {
    assertCaught(
        "remembers nothing",
        Rule.STATELESS,
        () ->
            new Norm() {
              private int lower;

              @Override
              public void score(TokenView view, int layer, float[] out) {
                super.score(view, layer, out);
                if (out.length > 0 && layer > 0) {
                  out[0] += lower;
                }
                lower = layer == 0 ? 1 : 0;
              }
            });
  }

  @Test
  void allocatesForEachToken() {
    assertCaught(
        "makes no garbage",
        Rule.ALLOCATION,
        () ->
            new Norm() {
              private float[] copy = new float[0];

              @Override
              public void score(TokenView view, int layer, float[] out) {
                super.score(view, layer, out);
                copy = out.clone();
                System.arraycopy(copy, 0, out, 0, copy.length);
              }
            });
  }

  @Test
  void expectsAToken() {
    assertCaught(
        "protects only tokens that exist",
        Rule.NO_EXCEPTION,
        () ->
            new Norm() {
              @Override
              public void protect(TokenView view, BitSet mask) {
                mask.set(view.length() - 1);
              }
            });
  }

  @Test
  void asksForNoQueries() {
    assertDeclarationCaught(() ->
        new Norm() {
          @Override
          public int window() {
            return 0;
          }
        });
  }

  @Test
  void closesOnlyOnce() {
    assertCaught("may be closed twice", Rule.CLOSE, ClosesOnce::new);
  }

  private static final class ClosesOnce extends Norm {
    private final OnlyOnce once = new OnlyOnce();

    @Override
    public void close() {
      once.close();
    }
  }

  private static void assertDeclarationCaught(Supplier<? extends TokenPolicy> policy) {
    assertCaught("says what it needs", Rule.SIGNALS, policy);
  }

  private static void assertCaught(
      String check, Rule rule, Supplier<? extends TokenPolicy> policy) {
    NormPolicyProvider provider =
        new NormPolicyProvider() {
          @Override
          public TokenPolicy create(PolicyContext context) {
            return policy.get();
          }
        };
    assertThat(TokenPolicyChecks.of(provider, Mistake.SETTINGS))
        .extracting(Check::run)
        .filteredOn(outcome -> !outcome.passed())
        .allSatisfy(outcome -> assertThat(outcome.broken()).isEqualTo(rule))
        .extracting(Outcome::check)
        .anyMatch(name -> name.startsWith(check));
  }
}
