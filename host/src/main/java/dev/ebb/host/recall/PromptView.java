package dev.ebb.host.recall;

import static dev.ebb.host.recall.RecallModel.HEADS;
import static dev.ebb.host.recall.RecallModel.HEAD_DIM;
import static dev.ebb.host.recall.RecallModel.LAYERS;

import dev.ebb.host.engine.KvAccess;
import dev.ebb.host.engine.Sequence;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** A prompt that was read, as a token policy sees it. Signals are computed once, when asked for. */
final class PromptView implements TokenView {

  private final Reader reader;
  private final Sequence sequence;
  private final int blockTokens;
  private final Set<Signal> declared;
  private final int window;
  private final Map<Signal, MemorySegment[]> signals = new EnumMap<>(Signal.class);

  PromptView(Reader reader, Sequence sequence, int blockTokens, Set<Signal> declared, int window) {
    this.reader = reader;
    this.sequence = sequence;
    this.blockTokens = blockTokens;
    this.declared = declared;
    this.window = window;
  }

  @Override
  public int layers() {
    return LAYERS;
  }

  @Override
  public int kvHeads() {
    return HEADS;
  }

  @Override
  public int queryHeads() {
    return HEADS;
  }

  @Override
  public int headDimension() {
    return HEAD_DIM;
  }

  @Override
  public int length() {
    return sequence.length();
  }

  @Override
  public long position() {
    return sequence.position();
  }

  @Override
  public MemorySegment signal(Signal signal, int layer) {
    if (!declared.contains(signal)) {
      throw new IllegalStateException("the signal '%s' was not declared".formatted(signal));
    }
    MemorySegment[] layers = signals.computeIfAbsent(signal, s -> new MemorySegment[LAYERS]);
    if (layers[layer] == null) {
      layers[layer] = MemorySegment.ofArray(compute(signal, layer)).asReadOnly();
    }
    return layers[layer];
  }

  private float[] compute(Signal signal, int layer) {
    return switch (signal) {
      case WINDOW_ATTENTION -> windowAttention(layer);
      case ACCUMULATED_ATTENTION -> accumulated(layer);
      case KEYS -> keys(layer);
      case KEY_NORM -> norms(keys(layer));
      case KEY_MEAN -> mean(keys(layer));
    };
  }

  private float[] windowAttention(int layer) {
    int length = length();
    int rows = Math.min(window, length);
    float[] out = new float[HEADS * rows * length];
    for (int head = 0; head < HEADS; head++) {
      for (int row = 0; row < rows; row++) {
        float[] seen = reader.attention(layer * HEADS + head).get(length - rows + row);
        System.arraycopy(seen, 0, out, (head * rows + row) * length, seen.length);
      }
    }
    return out;
  }

  private float[] accumulated(int layer) {
    int length = length();
    float[] out = new float[HEADS * length];
    for (int head = 0; head < HEADS; head++) {
      double[] sums = new double[length];
      for (float[] seen : reader.attention(layer * HEADS + head)) {
        for (int i = 0; i < seen.length; i++) {
          sums[i] += seen[i];
        }
      }
      for (int i = 0; i < length; i++) {
        out[head * length + i] = (float) sums[i];
      }
    }
    return out;
  }

  private float[] keys(int layer) {
    int length = length();
    float[] out = new float[HEADS * length * HEAD_DIM];
    try (KvAccess access = sequence.reading()) {
      for (int i = 0; i < HEADS * length; i++) {
        int token = i % length;
        MemorySegment rows = access.keys(layer * HEADS + i / length, token / blockTokens);
        MemorySegment.copy(
            rows,
            ValueLayout.JAVA_FLOAT_UNALIGNED,
            (long) (token % blockTokens) * HEAD_DIM * Float.BYTES,
            out,
            i * HEAD_DIM,
            HEAD_DIM);
      }
    }
    return out;
  }

  private static float[] norms(float[] keys) {
    float[] norms = new float[keys.length / HEAD_DIM];
    for (int i = 0; i < norms.length; i++) {
      double squares = 0;
      for (int d = 0; d < HEAD_DIM; d++) {
        squares += (double) keys[i * HEAD_DIM + d] * keys[i * HEAD_DIM + d];
      }
      norms[i] = (float) Math.sqrt(squares);
    }
    return norms;
  }

  private static float[] mean(float[] keys) {
    float[] norms = norms(keys);
    int length = norms.length / HEADS;
    double[] sums = new double[HEADS * HEAD_DIM];
    for (int i = 0; i < keys.length; i++) {
      int token = i / HEAD_DIM;
      if (norms[token] > 0) {
        sums[token / length * HEAD_DIM + i % HEAD_DIM] += keys[i] / norms[token] / length;
      }
    }
    float[] mean = new float[sums.length];
    for (int i = 0; i < mean.length; i++) {
      mean[i] = (float) sums[i];
    }
    return mean;
  }
}
