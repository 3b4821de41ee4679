package dev.ebb.host.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.pool.DType;
import dev.ebb.host.tokens.KeyRotation.Pairing;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

class KeyRotationTest {

  @Test
  void turnsPairsOfDimensionsByHand() {
    double quarter = Math.PI / 2;
    KeyRotation halves = new KeyRotation(new double[] {quarter, 0}, Pairing.HALF_SPLIT);
    assertThat(turned(halves, 1, 1, 2, 3, 4, 5)).containsExactly(-3, 2, 1, 4, 5);
    KeyRotation neighbours = new KeyRotation(new double[] {quarter, 0}, Pairing.INTERLEAVED);
    assertThat(turned(neighbours, 1, 1, 2, 3, 4, 5)).containsExactly(-2, 1, 3, 4, 5);
    assertThat(turned(neighbours, -1, 1, 2, 3, 4, 5)).containsExactly(2, -1, 3, 4, 5);
    assertThat(turned(neighbours, 0, 1, 2, 3, 4, 5)).containsExactly(1, 2, 3, 4, 5);
  }

  /** What attention sees is the difference of positions, so turning both changes nothing. */
  @ParameterizedTest
  @EnumSource(Pairing.class)
  void leavesProductsOfEquallyTurnedVectors(Pairing pairing) {
    KeyRotation rotation = KeyRotation.ofBase(12, 10_000, pairing);
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 100; round++) {
      float[] q = random(random);
      float[] k = random(random);
      long by = random.nextLong(-5_000, 5_000);
      assertThat(dot(turned(rotation, by, q), turned(rotation, by, k)))
          .isCloseTo(dot(q, k), within(1e-5));
    }
  }

  @Test
  void turnsKeysOfHalfPrecision() {
    KeyRotation rotation = KeyRotation.ofBase(4, 10_000, Pairing.HALF_SPLIT);
    float[] key = {0.5f, -1, 0.25f, 2};
    MemorySegment memory = MemorySegment.ofArray(new byte[10]);
    for (int i = 0; i < key.length; i++) {
      DType.FP16.write(memory, 2 + 2L * i, key[i]);
    }
    rotation.turn(DType.FP16, memory, 2, 7);
    float[] expected = turned(rotation, 7, key);
    for (int i = 0; i < key.length; i++) {
      assertThat(DType.FP16.read(memory, 2 + 2L * i)).isCloseTo(expected[i], within(2e-3f));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 10000", "3, 10000", "4, 0", "4, NaN"})
  void refusesWhatIsNoRotation(int dimensions, double base) {
    assertThatThrownBy(() -> KeyRotation.ofBase(dimensions, base, Pairing.HALF_SPLIT))
        .hasMessageContaining("'" + dimensions + "'");
  }

  @Test
  void movesKeptKeysTogetherAsTheReferenceDoes() throws IOException {
    JsonNode golden = Golden.read("rope_rerotation.json");
    JsonNode inputs = golden.get("inputs");
    JsonNode expected = golden.get("expected");
    double[] frequencies = Golden.doubles(inputs.get("inv_freq"));
    check(
        new KeyRotation(frequencies, Pairing.HALF_SPLIT),
        Golden.doubles(inputs.get("k_post_rope")),
        inputs.get("kept"),
        Golden.doubles(expected.get("k_rerotated")));
    check(
        new KeyRotation(frequencies, Pairing.INTERLEAVED),
        Golden.doubles(inputs.get("k_post_rope_interleaved(numpy)")),
        inputs.get("kept"),
        Golden.doubles(expected.get("k_rerotated_interleaved(numpy, not reference)")));
  }

  /**
   * When its window of 16 fills up, the reference turns the tokens it has by one position too many;
   * until these have left, its keys are one off.
   */
  @Test
  void agreesWithTurningOneByOneAsTheReferenceDoes() throws IOException {
    JsonNode golden = Golden.read("rope_rerotation.json");
    KeyRotation rotation =
        new KeyRotation(Golden.doubles(golden.at("/inputs/inv_freq")), Pairing.HALF_SPLIT);
    double[] keys = Golden.doubles(golden.at("/expected/sinkcache_inputs_k_pre_rope"));
    int size = golden.at("/params/d").asInt();
    int compared = 0;
    for (JsonNode step : golden.at("/expected/sinkcache_window16_sink4")) {
      int[] kept = Golden.ints(step.get("kept_tokens"));
      double[] expected = Golden.doubles(step.get("keys"));
      boolean oneOff = step.get("t").asInt() >= 15 && kept[4] < 16;
      for (int slot = 0; slot < kept.length && !oneOff; slot++) {
        float[] key = turned(rotation, kept[slot], key(keys, kept[slot], size));
        for (int position = kept[slot]; position > slot; position--) {
          key = turned(rotation, -1, key);
        }
        close(key, expected, slot);
        compared++;
      }
    }
    assertThat(compared).isEqualTo(15 + 16);
  }

  private static void check(KeyRotation rotation, double[] keys, JsonNode kept, double[] expected) {
    int heads = kept.size();
    int stay = kept.get(0).size();
    int size = expected.length / heads / stay;
    int length = keys.length / heads / size;
    for (int head = 0; head < heads; head++) {
      for (int slot = 0; slot < stay; slot++) {
        int token = kept.get(head).get(slot).asInt();
        float[] key = key(keys, head * length + token, size);
        close(turned(rotation, slot - token, key), expected, head * stay + slot);
      }
    }
  }

  private static void close(float[] key, double[] expected, int row) {
    for (int i = 0; i < key.length; i++) {
      assertThat((double) key[i]).isCloseTo(expected[row * key.length + i], within(5e-6));
    }
  }

  private static float[] key(double[] keys, int row, int size) {
    float[] key = new float[size];
    for (int i = 0; i < size; i++) {
      key[i] = (float) keys[row * size + i];
    }
    return key;
  }

  private static float[] turned(KeyRotation rotation, long by, float... key) {
    float[] copy = key.clone();
    rotation.turn(DType.FP32, MemorySegment.ofArray(copy), 0, by);
    return copy;
  }

  private static float[] random(SplittableRandom random) {
    float[] values = new float[16];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextDouble(-1, 1);
    }
    return values;
  }

  private static double dot(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (double) a[i] * b[i];
    }
    return sum;
  }
}
