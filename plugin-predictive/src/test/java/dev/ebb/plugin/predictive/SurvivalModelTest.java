package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SurvivalModelTest {

  private static final double PRIOR = 100;

  @Test
  void anUntrainedIndexFallsWithAgeAfterTheFirstSecondForEveryClass() {
    SurvivalModel model = new SurvivalModel(FactorSet.SIP_6, PRIOR);
    float[] first = index(model, BlockClass.of(BlockClass.request(0, 3, 0, 0), 0, 1, 0));
    float[] other = index(model, BlockClass.of(BlockClass.request(4, 1, 0, 0), 9, 7, 20));
    assertThat(first).isEqualTo(other);
    for (int bin = 2; bin <= Ages.BINS; bin++) {
      assertThat(first[bin]).isLessThan(first[bin - 1]);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void theIndexIsTheBestRateOverAllAgesAtWhichToDrop(long seed) {
    Random random = new Random(seed);
    Oracle oracle = new Oracle(FactorSet.SIP_7);
    SurvivalModel model = trained(FactorSet.SIP_7, random, oracle, 3000);
    for (int i = 0; i < 200; i++) {
      int blockClass = anyClass(random);
      int from = random.nextInt(Ages.BINS);
      float[] index = new float[Ages.BINS + 1];
      model.fillIndex(blockClass, from, index, 0);
      for (int bin = from; bin < Ages.BINS; bin++) {
        assertThat(index[bin])
            .as("seed %d class %x bin %d", seed, blockClass, bin)
            .isCloseTo((float) oracle.index(blockClass, bin), within(1e-6f));
      }
      assertThat(index[Ages.BINS]).isEqualTo(index[Ages.BINS - 1] / 2);
    }
  }

  @ParameterizedTest
  @EnumSource(FactorSet.class)
  void aModelThatWasWrittenAndReadIsTheSame(FactorSet factors) throws IOException {
    Random random = new Random(11);
    SurvivalModel model = trained(factors, random, new Oracle(factors), 5000);
    SurvivalModel read = new SurvivalModel(factors, PRIOR);
    read.read(input(written(model)));
    for (int i = 0; i < 200; i++) {
      int blockClass = anyClass(random);
      assertThat(index(read, blockClass)).isEqualTo(index(model, blockClass));
    }
    assertThat(written(read)).isEqualTo(written(model));
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
  void aStateThatIsNotOneIsRefused(double weight) throws IOException {
    SurvivalModel model = new SurvivalModel(FactorSet.SIP_6, PRIOR);
    byte[] good = written(model);
    byte[] bad = good.clone();
    ByteBuffer.wrap(bad).putDouble(good.length - Double.BYTES, weight);
    assertThatThrownBy(() -> model.read(input(bad)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(Double.toString(weight));
    assertThatThrownBy(() -> model.read(input(Arrays.copyOf(good, good.length - 1))))
        .isInstanceOf(EOFException.class);
    ByteBuffer.wrap(bad).putInt(0, 1 << 30);
    assertThatThrownBy(() -> model.read(input(bad))).hasMessageContaining("cells");
  }

  private static byte[] written(SurvivalModel model) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    model.write(new DataOutputStream(out));
    return out.toByteArray();
  }

  private static DataInputStream input(byte[] bytes) {
    return new DataInputStream(new ByteArrayInputStream(bytes));
  }

  @ParameterizedTest
  @EnumSource(FactorSet.class)
  void multipliersAreObservedOverExpectedEventsDrawnTowardsOne(FactorSet factors) {
    Random random = new Random(7);
    Oracle oracle = new Oracle(factors);
    SurvivalModel model = trained(factors, random, oracle, 5000);
    index(model, 0);
    oracle.index(0, 0);
    for (int i = 0; i < 500; i++) {
      int blockClass = anyClass(random);
      int bin = random.nextInt(Ages.BINS);
      for (Factor factor : Factor.values()) {
        if (model.uses(factor, blockClass)) {
          assertThat(model.multiplier(factor, blockClass, bin))
              .as("%s of class %x in bin %d", factor, blockClass, bin)
              .isCloseTo(oracle.multiplier(factor, blockClass, bin), within(1e-9));
        }
      }
    }
  }

  private static SurvivalModel trained(
      FactorSet factors, Random random, Oracle oracle, int observations) {
    SurvivalModel model = new SurvivalModel(factors, PRIOR);
    for (int i = 0; i < observations; i++) {
      int blockClass = anyClass(random);
      int bin = random.nextInt(Ages.BINS);
      double exposure = random.nextDouble();
      double events = random.nextInt(8) <= BlockClass.uses(blockClass) ? 2 * exposure : 0;
      model.observe(blockClass, bin, exposure, events);
      oracle.observe(blockClass, bin, exposure, events);
      if (i % 1000 == 999) {
        model.decay(0.9);
        oracle.decay(0.9);
      }
    }
    return model;
  }

  private static float[] index(SurvivalModel model, int blockClass) {
    float[] index = new float[Ages.BINS + 1];
    model.fillIndex(blockClass, 0, index, 0);
    return index;
  }

  private static int anyClass(Random random) {
    int request =
        BlockClass.request(
            random.nextInt(BlockClass.MATCHES),
            random.nextInt(BlockClass.NEWS),
            random.nextInt(BlockClass.OUTPUTS),
            random.nextInt(3));
    int blockClass =
        BlockClass.of(request, random.nextInt(6), 1 + random.nextInt(100), random.nextInt(600));
    return random.nextInt(4) == 0 ? BlockClass.supersede(blockClass) : blockClass;
  }

  /** The same by the definition, with a map of named cells and no short cuts. */
  private static final class Oracle {
    private final FactorSet factors;
    private final Map<String, double[]> cells = new HashMap<>();
    private final Map<String, Double> multipliers = new HashMap<>();
    private int pending;

    Oracle(FactorSet factors) {
      this.factors = factors;
    }

    void observe(int blockClass, int bin, double exposure, double events) {
      if (++pending > 128) {
        refresh();
      }
      double hazard = hazard(blockClass, bin);
      for (Factor factor : Factor.values()) {
        if (applies(factor, blockClass)) {
          double[] cell = cells.computeIfAbsent(name(factor, blockClass, bin), n -> new double[2]);
          cell[0] += events;
          cell[1] += exposure * Math.min(hazard, 3) / multiplier(factor, blockClass, bin);
        }
      }
    }

    void decay(double share) {
      for (double[] cell : cells.values()) {
        cell[0] *= share;
        cell[1] *= share;
      }
    }

    double index(int blockClass, int from) {
      refresh();
      double best = 0;
      double alive = 1;
      double hits = 0;
      double held = 0;
      for (int bin = from; bin < Ages.BINS; bin++) {
        double reuse = 1 - Math.exp(-hazard(blockClass, bin));
        hits += alive * reuse;
        held += alive * Ages.width(bin) * (1 - reuse / 2);
        alive *= 1 - reuse;
        best = Math.max(best, hits / held);
      }
      return best;
    }

    double multiplier(Factor factor, int blockClass, int bin) {
      return multipliers.getOrDefault(name(factor, blockClass, bin), 1.0);
    }

    private void refresh() {
      pending = 0;
      double prior = PRIOR * 0.03;
      cells.forEach((name, cell) ->
          multipliers.put(name, Math.clamp((cell[0] + prior) / (cell[1] + prior), 0.02, 50)));
    }

    private double hazard(int blockClass, int bin) {
      double hazard = 0.03;
      for (Factor factor : Factor.values()) {
        if (applies(factor, blockClass)) {
          hazard *= multiplier(factor, blockClass, bin);
        }
      }
      return hazard;
    }

    private boolean applies(Factor factor, int blockClass) {
      return switch (factor) {
        case SUPERSEDED -> BlockClass.isSuperseded(blockClass);
        case HINT, HINT_AGE -> BlockClass.hint(blockClass) > 0;
        default -> factor.number() < factors.groups();
      };
    }

    private static String name(Factor factor, int blockClass, int bin) {
      int position = BlockClass.position(blockClass);
      return factor
          + switch (factor) {
            case AGE -> position + " " + bin;
            case USES -> BlockClass.uses(blockClass) + " " + bin / 5;
            case DEPTH -> BlockClass.depth(blockClass) + " " + bin / 5;
            case POSITION -> position + " " + BlockClass.uses(blockClass);
            case MATCH -> position + " " + BlockClass.match(blockClass);
            case NEWS -> position + " " + BlockClass.news(blockClass);
            case OUTPUT -> position + " " + BlockClass.output(blockClass);
            case SUPERSEDED -> "" + position;
            case HINT -> position + " " + BlockClass.hint(blockClass);
            case HINT_AGE -> BlockClass.hint(blockClass) + " " + bin / 5;
          };
    }
  }
}
