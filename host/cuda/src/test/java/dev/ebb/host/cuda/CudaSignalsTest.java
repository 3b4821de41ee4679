package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.signals.FastSignals;
import dev.ebb.host.tokens.signals.LayerKeys;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CudaSignalsTest {

  private static final Offset<Float> CLOSE = Offset.offset(2e-5f);

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(1, 64 << 20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fp32", "fp16", "bf16"})
  void theCardComputesWhatTheHostDoes(String name) {
    DType type = DType.parse(name);
    Random random = new Random(type.bytes());
    KvLayout shape = new KvLayout(1, 6, 40, 16, type);
    LayerKeys keys = new LayerKeys(shape, new int[] {5, 0, 7, 2}, 2, 2, 55);
    MemorySegment memory = keysOf(shape, 8, random);
    FastSignals host = new FastSignals(memory);
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(memory.byteSize())) {
      slab.write(0, memory);
      float[] queries = floats(8 * 4 * 40, random);

      float[] scores = new float[8 * 4 * 55];
      slab.signals().windowAttention(keys, 8, 4, of(queries), of(scores));
      float[] expected = new float[scores.length];
      host.windowAttention(keys, 8, 4, of(queries), of(expected));
      assertThat(scores).containsExactly(expected, CLOSE);

      float[] norms = new float[2 * 30];
      slab.signals().keyNorms(keys, 20, 30, of(norms));
      float[] expectedNorms = new float[norms.length];
      host.keyNorms(keys, 20, 30, of(expectedNorms));
      assertThat(norms).containsExactly(expectedNorms, CLOSE);

      slab.signals().keyNorms(keys.values(), 20, 30, of(norms));
      float[] ofKeys = expectedNorms.clone();
      host.keyNorms(keys.values(), 20, 30, of(expectedNorms));
      assertThat(norms).containsExactly(expectedNorms, CLOSE).isNotEqualTo(ofKeys);

      float[] mean = floats(2 * 40, random);
      float[] expectedMean = mean.clone();
      slab.signals().addToKeyMean(keys, 3, 50, 3, of(mean));
      host.addToKeyMean(keys, 3, 50, 3, of(expectedMean));
      assertThat(mean).containsExactly(expectedMean, CLOSE);
    }
  }

  @Test
  void aBlockOutsideTheSlabIsRefusedBeforeTheCardSeesIt() {
    KvLayout shape = new KvLayout(1, 1, 8, 16, DType.FP16);
    LayerKeys keys = new LayerKeys(shape, new int[] {4}, 0, 1, 16);
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(4L * shape.blockBytes())) {
      float[] norms = new float[16];
      assertThatThrownBy(() -> slab.signals().keyNorms(keys, 0, 16, of(norms)))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("'4'");
      assertThat(device.lost()).isFalse();
    }
  }

  private static MemorySegment keysOf(KvLayout shape, int blocks, Random random) {
    byte[] bytes = new byte[blocks * shape.blockBytes()];
    MemorySegment memory = of(bytes);
    for (long at = 0; at < bytes.length; at += shape.dtype().bytes()) {
      shape.dtype().write(memory, at, (float) random.nextGaussian());
    }
    return memory;
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

  private static MemorySegment of(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }
}
