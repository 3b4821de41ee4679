package dev.ebb.host.gpuverify;

import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.cuda.CudaSlab;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.signals.FastSignals;
import dev.ebb.host.tokens.signals.LayerKeys;
import dev.ebb.host.tokens.signals.SignalKernels;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.function.BiConsumer;

/** Compares the signals with those that the host computes. */
final class SignalChecks {

  private static final int QUERY_HEADS = 8;
  private static final int KV_HEADS = 2;
  private static final int LENGTH = 501;
  private static final int WINDOW = 16;

  /** Single precision over a few hundred terms, values around one. */
  private static final double ALLOWED = 2e-5;

  private final CudaDevice device;
  private final GpuReport report;

  SignalChecks(CudaDevice device, GpuReport report) {
    this.device = device;
    this.report = report;
  }

  void run() {
    for (DType type : DType.computable()) {
      check(new KvLayout(1, 4, 128, 16, type), new Random(type.hashCode()));
    }
    check(new KvLayout(1, 3, 80, 16, DType.FP16), new Random(9));
  }

  private void check(KvLayout shape, Random random) {
    int[] table = random.ints(0, 40).distinct().limit(32).toArray();
    LayerKeys keys = new LayerKeys(shape, table, 1, KV_HEADS, LENGTH);
    MemorySegment memory = MemorySegment.ofArray(new byte[40 * shape.blockBytes()]);
    for (long at = 0; at < memory.byteSize(); at += shape.dtype().bytes()) {
      shape.dtype().write(memory, at, (float) random.nextGaussian());
    }
    float[] queries = gaussian(QUERY_HEADS * WINDOW * shape.headDim(), random);
    float[] mean = gaussian(KV_HEADS * shape.headDim(), random);
    String suffix = ", " + shape.dtype().name() + ", head dimension " + shape.headDim();
    SignalKernels host = new FastSignals(memory);
    try (CudaSlab slab = device.reserve(memory.byteSize())) {
      slab.write(0, memory);
      SignalKernels card = slab.signals();
      compare(
          "window attention" + suffix,
          new float[QUERY_HEADS * WINDOW * LENGTH],
          card,
          host,
          (signals, out) ->
              signals.windowAttention(
                  keys, QUERY_HEADS, WINDOW, MemorySegment.ofArray(queries), out));
      compare(
          "key norms" + suffix,
          new float[KV_HEADS * (LENGTH - 5)],
          card,
          host,
          (signals, out) -> signals.keyNorms(keys, 5, LENGTH - 5, out));
      compare(
          "value norms" + suffix,
          new float[KV_HEADS * (LENGTH - 5)],
          card,
          host,
          (signals, out) -> signals.keyNorms(keys.values(), 5, LENGTH - 5, out));
      compare(
          "running key mean" + suffix,
          mean,
          card,
          host,
          (signals, out) -> signals.addToKeyMean(keys, 100, LENGTH - 100, 100, out));
    }
  }

  private void compare(
      String what,
      float[] start,
      SignalKernels card,
      SignalKernels host,
      BiConsumer<SignalKernels, MemorySegment> compute) {
    float[] expected = start.clone();
    float[] got = start.clone();
    compute.accept(host, MemorySegment.ofArray(expected));
    compute.accept(card, MemorySegment.ofArray(got));
    double worst = 0;
    for (int i = 0; i < expected.length; i++) {
      double difference =
          Math.abs((double) got[i] - expected[i]) / Math.max(1, Math.abs(expected[i]));
      // NaN is the worst result, but a maximum would not keep it.
      worst = difference >= 0 ? Math.max(worst, difference) : Double.POSITIVE_INFINITY;
    }
    report.close(what, worst, ALLOWED);
  }

  private static float[] gaussian(int count, Random random) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextGaussian();
    }
    return values;
  }
}
