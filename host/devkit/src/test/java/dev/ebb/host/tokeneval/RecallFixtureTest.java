package dev.ebb.host.tokeneval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.tokens.BudgetRules;
import dev.ebb.host.tokens.Golden;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The answers that the prototype of the model gives, over sequences of a real engine. */
class RecallFixtureTest {

  private static final int WINDOW = 16;

  /** Below this the prototype itself was undecided between two tokens. */
  private static final double DECIDED = 0.03;

  @Test
  void answersAsThePrototypeWithEverythingAndWithWhatSixPoliciesKeep() throws IOException {
    JsonNode fixture = Golden.read("testbed_fixture.json");
    int compared = 0;
    try (RecallBed bed = new RecallBed(model(fixture), 256)) {
      for (JsonNode of : fixture.get("cases")) {
        RecallQuestion question = question(of);
        int[] full = Golden.ints(of.get("full_output"));
        try (RecallBed.Prompt prompt = bed.read(question)) {
          assertThat(prompt.answer(null, full.length)).as("full").containsExactly(full);
          for (JsonNode run : of.get("runs")) {
            if (run.get("min_logit_margin").asDouble() < DECIDED) {
              continue;
            }
            String name = run.get("policy").asString();
            TokenBudget budget =
                BudgetRules.of(name.startsWith("ada") ? "ada" : "uniform").orElseThrow();
            int keep = run.get("keep").asInt();
            assertThat(prompt.answer(prompt.keep(policy(name, keep), budget, keep), full.length))
                .as("%s, %d kept, %s", name, keep, of.get("question"))
                .containsExactly(Golden.ints(run.get("output")));
            compared++;
          }
        }
      }
    }
    assertThat(compared).isGreaterThan(180);
  }

  /** The classic mistake: after tokens went, the next one is not where the rows end. */
  @Test
  void aHostThatTakesTheLengthForThePositionGetsNothingRight() throws IOException {
    JsonNode fixture = Golden.read("testbed_fixture.json");
    assertThat(right(fixture, Sequence::position)).isEqualTo(4);
    assertThat(right(fixture, Sequence::length)).isZero();
  }

  /** Questions at the end of the prompt, for which SnapKV has kept the facts: how many it gives. */
  private static int right(JsonNode fixture, ToIntFunction<Sequence> position) {
    int right = 0;
    try (RecallBed bed = new RecallBed(model(fixture), 256, position)) {
      for (JsonNode of : fixture.get("cases")) {
        if (of.get("mode").asString().equals("aware")) {
          RecallQuestion question = question(of);
          try (RecallBed.Prompt prompt = bed.read(question)) {
            TokenBudget uniform = BudgetRules.of("uniform").orElseThrow();
            right +=
                question.rightly(
                        prompt.answer(prompt.keep(policy("snapkv k7", 128), uniform, 128), 3))
                    ? 1
                    : 0;
          }
        }
      }
    }
    return right;
  }

  private static RecallModel model(JsonNode fixture) {
    double[] flat = Golden.doubles(fixture.get("EMB"));
    int size = fixture.get("EMB").get("shape").get(1).asInt();
    float[][] embeddings = new float[flat.length / size][size];
    for (int i = 0; i < flat.length; i++) {
      embeddings[i / size][i % size] = (float) flat[i];
    }
    return new RecallModel(embeddings);
  }

  private static RecallQuestion question(JsonNode of) {
    boolean inPrompt = of.get("mode").asString().equals("aware");
    return new RecallQuestion(
        Golden.ints(of.get("tokens")),
        inPrompt ? new int[0] : Golden.ints(of.get("question")),
        Golden.ints(of.get("full_output")));
  }

  private static TokenPolicy policy(String name, int keep) {
    return switch (name) {
      case "sliding(no sink)" -> new Scored(Set.of(), 0, keep);
      case "streaming(4 sinks)" -> new Scored(Set.of(), 4, keep - 4);
      case "snapkv k7", "adakv(snapkv k7)" ->
          new Scored(Set.of(TokenPolicy.Signal.WINDOW_ATTENTION), 0, WINDOW);
      case "h2o" -> new Scored(Set.of(TokenPolicy.Signal.ACCUMULATED_ATTENTION), 0, WINDOW);
      case "keydiff+protect" ->
          new Scored(Set.of(TokenPolicy.Signal.KEYS, TokenPolicy.Signal.KEY_MEAN), 4, WINDOW);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /**
   * The plainest policies, so that what is tested is the host: the plugins have their own tests.
   */
  private record Scored(Set<Signal> signals, int prefix, int newest) implements TokenPolicy {

    private static final int KERNEL = 7;

    @Override
    public int window() {
      return WINDOW;
    }

    @Override
    public Granularity granularity() {
      return Granularity.KV_HEAD;
    }

    @Override
    public Trigger trigger() {
      return Trigger.AFTER_PREFILL;
    }

    @Override
    public void protect(TokenView view, BitSet mask) {
      mask.set(0, prefix);
      mask.set(view.length() - newest, view.length());
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      int length = view.length();
      for (int i = 0; i < view.kvHeads() * length; i++) {
        out[i] = (float) score(view, layer, i / length, i % length);
      }
    }

    private double score(TokenView view, int layer, int head, int token) {
      int length = view.length();
      if (signals.contains(Signal.ACCUMULATED_ATTENTION)) {
        return at(view.signal(Signal.ACCUMULATED_ATTENTION, layer), head * length + token);
      }
      if (signals.contains(Signal.WINDOW_ATTENTION)) {
        MemorySegment rows = view.signal(Signal.WINDOW_ATTENTION, layer);
        double sum = 0;
        for (int i = token - KERNEL / 2; i <= token + KERNEL / 2; i++) {
          for (int row = 0; row < WINDOW && i >= 0 && i < length - WINDOW; row++) {
            sum += at(rows, (head * WINDOW + row) * length + i) / WINDOW / KERNEL;
          }
        }
        return sum;
      }
      return signals.isEmpty() ? token : -cosine(view, layer, head, token);
    }

    private static double cosine(TokenView view, int layer, int head, int token) {
      int size = view.headDimension();
      MemorySegment keys = view.signal(Signal.KEYS, layer);
      MemorySegment anchors = view.signal(Signal.KEY_MEAN, layer);
      List<double[]> products = new ArrayList<>();
      for (int d = 0; d < size; d++) {
        double k = at(keys, (head * view.length() + token) * size + d);
        double a = at(anchors, head * size + d);
        products.add(new double[] {k * a, k * k, a * a});
      }
      double[] sums = new double[3];
      products.forEach(product -> {
        for (int i = 0; i < 3; i++) {
          sums[i] += product[i];
        }
      });
      return sums[0] / Math.sqrt(sums[1] * sums[2]);
    }

    private static double at(MemorySegment signal, int index) {
      return signal.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
    }
  }
}
