package dev.ebb.host.tokens.signals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FastSignalsTest {

  @ParameterizedTest(name = "{0}, dimension {1}, {2} query heads, window {3}, length {4}")
  @CsvSource({
    "fp32,40,8,4,55",
    "fp16,128,8,32,300",
    "bf16,17,2,1,1",
    "fp16,8,4,16,16",
    "fp32,3,6,5,47"
  })
  void computesWhatDoublePrecisionDoes(
      String name, int headDim, int queryHeads, int window, int length) {
    DType type = DType.parse(name);
    Random random = new Random(headDim);
    int blocks = Math.ceilDiv(length, 16) + 2;
    KvLayout shape = new KvLayout(1, 5, headDim, 16, type);
    int[] table = new int[blocks - 2];
    for (int i = 0; i < table.length; i++) {
      table[i] = blocks - 1 - i;
    }
    LayerKeys keys = new LayerKeys(shape, table, 2, 2, length);
    MemorySegment memory = MemorySegment.ofArray(new byte[blocks * shape.blockBytes()]);
    for (long at = 0; at < memory.byteSize(); at += type.bytes()) {
      type.write(memory, at, (float) random.nextGaussian());
    }
    FastSignals fast = new FastSignals(memory);
    // Once for another shape, so that what is left of it would be found.
    run(fast, new LayerKeys(shape, table, 0, 1, length), queryHeads, 1, random);

    float[] queries = floats(queryHeads * window * headDim, random);
    float[] expected = new float[queryHeads * window * length];
    new HostSignals(memory).windowAttention(keys, queryHeads, window, of(queries), of(expected));
    float[] scores = floats(expected.length, random);
    fast.windowAttention(keys, queryHeads, window, of(queries), of(scores));

    assertThat(scores).containsExactly(expected, Offset.offset(2e-6f));
  }

  @Test
  void theExponentialIsRightToAFewUnitsInTheLastPlace() {
    for (float x = 0; x > -87; x -= 0.0137f) {
      float[] value = {x};
      Exponential.of(value, 0, 1, 0);
      float exact = (float) Math.exp(x);
      assertThat(value[0]).isCloseTo(exact, Offset.offset(4 * Math.ulp(exact)));
    }
    float[] far = {-1000, Float.NEGATIVE_INFINITY, 3};
    Exponential.of(far, 0, 3, 3);
    assertThat(far[0]).isLessThan(1e-37f);
    assertThat(far[1]).isLessThan(1e-37f);
    assertThat(far[2]).isEqualTo(1);
  }

  private static void run(
      SignalKernels signals, LayerKeys keys, int queryHeads, int window, Random random) {
    signals.windowAttention(
        keys,
        queryHeads,
        window,
        of(floats(queryHeads * window * keys.layout().headDim(), random)),
        of(new float[queryHeads * window * keys.length()]));
  }

  private static float[] floats(int count, Random random) {
    float[] floats = new float[count];
    for (int i = 0; i < count; i++) {
      floats[i] = (float) random.nextGaussian();
    }
    return floats;
  }

  private static MemorySegment of(float[] floats) {
    return MemorySegment.ofArray(floats);
  }
}
