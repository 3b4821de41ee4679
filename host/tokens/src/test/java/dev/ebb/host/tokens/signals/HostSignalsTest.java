package dev.ebb.host.tokens.signals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import java.lang.foreign.MemorySegment;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class HostSignalsTest {

  private static final Offset<Float> CLOSE = Offset.offset(1e-6f);

  /** Two lanes, two tokens a block, keys of two elements; block 1 holds tokens 0 and 1. */
  private static final KvLayout SHAPE = new KvLayout(1, 2, 2, 2, DType.FP32);

  private static final float[] SLAB = {
    // block 0: lane 0 K (token 2: 0 0), V; lane 1 K (token 2: 6 8), V
    0, 0, 9, 9, 9, 9, 9, 9, 6, 8, 9, 9, 9, 9, 9, 9,
    // block 1: lane 0 K (tokens 0, 1), V; lane 1 K (tokens 0, 1), V
    3, 4, 1, 0, 9, 9, 9, 9, 0, 2, 5, 12, 9, 9, 9, 9
  };

  private final HostSignals signals = new HostSignals(MemorySegment.ofArray(SLAB));
  private final LayerKeys keys = new LayerKeys(SHAPE, new int[] {1, 0}, 0, 2, 3);

  @Test
  void normsAreTakenThroughTheBlockTable() {
    float[] norms = new float[6];
    signals.keyNorms(keys, 0, 3, MemorySegment.ofArray(norms));
    assertThat(norms).containsExactly(new float[] {5, 1, 0, 2, 13, 10}, CLOSE);
  }

  @Test
  void normsOfValuesAreThoseOfTheValuesOfTheKeys() {
    float[] norms = new float[4];
    signals.keyNorms(keys.values(), 1, 2, MemorySegment.ofArray(norms));
    float nines = (float) Math.sqrt(162);
    assertThat(norms).containsExactly(new float[] {nines, nines, nines, nines}, CLOSE);
  }

  @Test
  void theMeanIsOverNormalisedKeysAndAZeroKeyCountsAsZero() {
    float[] mean = {Float.NaN, Float.NaN, Float.NaN, Float.NaN};
    signals.addToKeyMean(keys, 0, 3, 0, MemorySegment.ofArray(mean));
    float[] expected = {1.6f / 3, 0.8f / 3, (5 / 13f + 0.6f) / 3, (1 + 12 / 13f + 0.8f) / 3};
    assertThat(mean).containsExactly(expected, CLOSE);
  }

  @Test
  void addingKeysOneByOneGivesTheSameMean() {
    float[] once = new float[4];
    float[] stepwise = new float[4];
    signals.addToKeyMean(keys, 0, 3, 0, MemorySegment.ofArray(once));
    for (int token = 0; token < 3; token++) {
      signals.addToKeyMean(keys, token, 1, token, MemorySegment.ofArray(stepwise));
    }
    assertThat(stepwise).containsExactly(once, CLOSE);
  }

  @Test
  void aQueryAttendsToTheTokensUpToItsOwn() {
    LayerKeys oneHead = new LayerKeys(SHAPE, new int[] {1, 0}, 0, 1, 3);
    float root = (float) Math.sqrt(2);
    float[] queries = {root, 0, 0, root};
    float[] scores = new float[6];
    signals.windowAttention(
        oneHead, 1, 2, MemorySegment.ofArray(queries), MemorySegment.ofArray(scores));
    double first = Math.exp(3) / (Math.exp(3) + Math.exp(1));
    double sum = Math.exp(4) + 2;
    float[] expected = {
      (float) first,
      (float) (1 - first),
      0,
      (float) (Math.exp(4) / sum),
      (float) (1 / sum),
      (float) (1 / sum)
    };
    assertThat(scores).containsExactly(expected, CLOSE);
  }

  @Test
  void wrongSizesAreRefusedWithTheRightOne() {
    assertThatThrownBy(() -> signals.keyNorms(keys, 0, 3, MemorySegment.ofArray(new float[5])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'20'")
        .hasMessageContaining("24");
    assertThatThrownBy(() -> signals.keyNorms(keys, 2, 2, MemorySegment.ofArray(new float[4])))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> new LayerKeys(SHAPE, new int[] {1}, 1, 2, 2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void halfTypesReadWhatTheyWrote() {
    MemorySegment memory = MemorySegment.ofArray(new byte[6]);
    for (DType type : DType.computable()) {
      type.write(memory, 1, -1.5f);
      assertThat(type.read(memory, 1)).isEqualTo(-1.5f);
    }
  }
}
