package dev.ebb.host.tokeneval;

import static dev.ebb.host.tokeneval.RecallModel.HEADS;
import static dev.ebb.host.tokeneval.RecallModel.HEAD_DIM;
import static dev.ebb.host.tokeneval.RecallModel.LAYERS;

import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** A token policy's view of a prompt. Signals are computed once, on demand. */
final class PromptView implements TokenView {

  private final RecallReader reader;
  private final Sequence sequence;
  private final int blockTokens;
  private final Set<Signal> declared;
  private final int window;
  private final int stateSize;
  private final int skippedQueries;
  private final Map<Signal, MemorySegment[]> signals = new EnumMap<>(Signal.class);

  PromptView(RecallReader reader, Sequence sequence, int blockTokens, TokenPolicy policy) {
    this.reader = reader;
    this.sequence = sequence;
    this.blockTokens = blockTokens;
    declared = Set.copyOf(policy.signals());
    window = policy.window();
    stateSize = policy.stateSize();
    skippedQueries = policy.skippedQueries();
  }

  PromptView(RecallReader reader, Sequence sequence, int blockTokens, TokenBudget budget) {
    this.reader = reader;
    this.sequence = sequence;
    this.blockTokens = blockTokens;
    declared = Set.copyOf(budget.signals());
    window = budget.window();
    stateSize = 0;
    skippedQueries = 0;
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

  /**
   * Returns no rotation: the head that knows the facts does not rotate; the others' queries are
   * seen as they came.
   */
  @Override
  public Rotation rotation() {
    return Rotation.NONE;
  }

  @Override
  public MemorySegment signal(Signal signal, int layer) {
    if (!declared.contains(signal)) {
      throw new IllegalStateException("the signal '%s' was not declared".formatted(signal));
    }
    MemorySegment[] layers = signals.computeIfAbsent(signal, s -> new MemorySegment[LAYERS]);
    if (layers[layer] == null) {
      MemorySegment computed = MemorySegment.ofArray(compute(signal, layer));
      layers[layer] = signal == Signal.STATE ? computed : computed.asReadOnly();
    }
    return layers[layer];
  }

  private float[] compute(Signal signal, int layer) {
    return switch (signal) {
      case WINDOW_ATTENTION -> windowAttention(layer);
      case ACCUMULATED_ATTENTION -> accumulated(layer);
      case KEYS -> rows(layer, false);
      case KEY_NORM -> norms(rows(layer, false));
      case KEY_MEAN -> mean(rows(layer, false));
      case VALUES -> rows(layer, true);
      case VALUE_NORM -> norms(rows(layer, true));
      case QUERY_MEAN -> queryMean(layer);
      case QUERY_COVARIANCE -> queryCovariance(layer);
      case STATE -> new float[HEADS * length() * stateSize];
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

  private float[] queryMean(int layer) {
    float[] out = new float[HEADS * HEAD_DIM];
    for (int head = 0; head < HEADS; head++) {
      double[] mean = mean(queries(layer, head));
      for (int d = 0; d < HEAD_DIM; d++) {
        out[head * HEAD_DIM + d] = (float) mean[d];
      }
    }
    return out;
  }

  private float[] queryCovariance(int layer) {
    float[] out = new float[HEADS * HEAD_DIM * HEAD_DIM];
    for (int head = 0; head < HEADS; head++) {
      List<double[]> queries = queries(layer, head);
      double[] mean = mean(queries);
      double[][] sums = new double[HEAD_DIM][HEAD_DIM];
      for (double[] query : queries) {
        for (int i = 0; i < HEAD_DIM; i++) {
          addProducts(sums[i], query[i] - mean[i], query, mean);
        }
      }
      for (int i = 0; i < HEAD_DIM * HEAD_DIM; i++) {
        double sum = sums[i / HEAD_DIM][i % HEAD_DIM];
        out[head * HEAD_DIM * HEAD_DIM + i] = (float) (sum / queries.size());
      }
    }
    return out;
  }

  private static void addProducts(double[] sums, double factor, double[] query, double[] mean) {
    for (int j = 0; j < HEAD_DIM; j++) {
      sums[j] += factor * (query[j] - mean[j]);
    }
  }

  private static double[] mean(List<double[]> queries) {
    double[] mean = new double[HEAD_DIM];
    for (double[] query : queries) {
      for (int d = 0; d < HEAD_DIM; d++) {
        mean[d] += query[d] / queries.size();
      }
    }
    return mean;
  }

  /**
   * Returns queries for policies that divide their products with keys by the root of the dimension.
   */
  private List<double[]> queries(int layer, int head) {
    double root = Math.sqrt(HEAD_DIM);
    return reader.queries(layer * HEADS + head).stream()
        .skip(skippedQueries)
        .map(query -> IntStream.range(0, HEAD_DIM).mapToDouble(d -> query[d] * root).toArray())
        .toList();
  }

  private float[] rows(int layer, boolean values) {
    int length = length();
    float[] out = new float[HEADS * length * HEAD_DIM];
    try (KvAccess access = sequence.reading()) {
      for (int i = 0; i < HEADS * length; i++) {
        int token = i % length;
        int lane = layer * HEADS + i / length;
        int page = token / blockTokens;
        MemorySegment rows = values ? access.values(lane, page) : access.keys(lane, page);
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
