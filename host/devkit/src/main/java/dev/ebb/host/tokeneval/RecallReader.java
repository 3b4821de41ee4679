package dev.ebb.host.tokeneval;

import static dev.ebb.host.tokeneval.RecallModel.HEADS;
import static dev.ebb.host.tokeneval.RecallModel.HEAD_DIM;
import static dev.ebb.host.tokeneval.RecallModel.LAYERS;

import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.tokens.signals.TokenSignals;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.ToIntFunction;

/** The model on one sequence, token by token; keys and values are stored in the sequence only. */
final class RecallReader {

  static final int LANES = LAYERS * HEADS;

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final RecallModel model;
  private final Sequence sequence;
  private final int blockTokens;
  private final ToIntFunction<Sequence> position;
  private final float[] row = new float[HEAD_DIM];
  private final float[] query = new float[HEAD_DIM];
  private final float[][] read = new float[LANES][HEAD_DIM];

  /** How many tokens are read with their queries and attention kept. */
  private final int observed;

  /** By layer: {@code [HEADS][observed][HEAD_DIM]}. */
  private final float[][] queries;

  /** By layer: {@code [HEADS][observed][observed]}, each query's over the tokens up to its own. */
  private final float[][] attention;

  /**
   * Creates a reader.
   *
   * @param observed the length of a text whose signals are kept, 0 for none
   */
  RecallReader(
      RecallModel model,
      Sequence sequence,
      int blockTokens,
      ToIntFunction<Sequence> position,
      int observed) {
    this.model = model;
    this.sequence = sequence;
    this.blockTokens = blockTokens;
    this.position = position;
    this.observed = observed;
    queries = new float[LAYERS][HEADS * observed * HEAD_DIM];
    attention = new float[LAYERS][HEADS * observed * observed];
  }

  /** Gives the queries and the attention of the whole text to a policy's signals. */
  void show(TokenSignals signals) {
    for (int layer = 0; layer < LAYERS; layer++) {
      signals.observeUnrotatedQueries(layer, observed, MemorySegment.ofArray(queries[layer]));
      signals.observeAttention(layer, observed, MemorySegment.ofArray(attention[layer]));
    }
  }

  /** Reads tokens. */
  int read(int... tokens) {
    for (int token : tokens) {
      int at = position.applyAsInt(sequence);
      sequence.append(token);
      try (KvAccess access = sequence.access()) {
        step(access, token, at);
      }
    }
    return model.next(read[HEADS]);
  }

  private void step(KvAccess access, int token, int at) {
    for (int head = 0; head < HEADS; head++) {
      model.positionKey(0, at, row);
      store(access, head, token);
      model.positionQuery(0, at - 1 - head, query);
      attend(access, head);
    }
    model.inductionKey(token, read[0], read[1], row);
    store(access, HEADS, token);
    model.inductionQuery(token, read[0], query);
    attend(access, HEADS);
    model.positionKey(1, at, row);
    store(access, HEADS + 1, token);
    model.positionQuery(1, at, query);
    attend(access, HEADS + 1);
  }

  /** Writes the key, which is in {@code row}, and the value into the lane's last row. */
  private void store(KvAccess access, int lane, int token) {
    int last = access.length(lane) - 1;
    copy(row, access.keys(lane, last / blockTokens), last % blockTokens);
    model.value(lane / HEADS, lane % HEADS, token, row);
    copy(row, access.values(lane, last / blockTokens), last % blockTokens);
  }

  private static void copy(float[] from, MemorySegment rows, int to) {
    MemorySegment.copy(from, 0, rows, FLOAT, (long) to * HEAD_DIM * Float.BYTES, HEAD_DIM);
  }

  private void attend(KvAccess access, int lane) {
    int length = access.length(lane);
    float[] weights = new float[length];
    double highest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < length; i++) {
      MemorySegment keys = access.keys(lane, i / blockTokens);
      double product = 0;
      long start = (long) (i % blockTokens) * HEAD_DIM * Float.BYTES;
      for (int d = 0; d < HEAD_DIM; d++) {
        product += (double) query[d] * keys.get(FLOAT, start + (long) d * Float.BYTES);
      }
      weights[i] = (float) product;
      highest = Math.max(highest, product);
    }
    double sum = 0;
    for (int i = 0; i < length; i++) {
      weights[i] = (float) Math.exp(weights[i] - highest);
      sum += weights[i];
    }
    double[] mean = new double[HEAD_DIM];
    for (int i = 0; i < length; i++) {
      weights[i] = (float) (weights[i] / sum);
      // Far too small to change a float's last digit.
      if (weights[i] > 1e-12) {
        add(access.values(lane, i / blockTokens), i % blockTokens, weights[i], mean);
      }
    }
    for (int d = 0; d < HEAD_DIM; d++) {
      read[lane][d] = (float) mean[d];
    }
    if (observed > 0) {
      keep(lane / HEADS, lane % HEADS * observed + length - 1, weights);
    }
  }

  /** Policies divide products of queries and keys by the root of the dimension; this model not. */
  private void keep(int layer, int row, float[] weights) {
    System.arraycopy(weights, 0, attention[layer], row * observed, weights.length);
    float root = (float) Math.sqrt(HEAD_DIM);
    for (int d = 0; d < HEAD_DIM; d++) {
      queries[layer][row * HEAD_DIM + d] = query[d] * root;
    }
  }

  private static void add(MemorySegment values, int at, float weight, double[] mean) {
    long start = (long) at * HEAD_DIM * Float.BYTES;
    for (int d = 0; d < HEAD_DIM; d++) {
      mean[d] += (double) weight * values.get(FLOAT, start + (long) d * Float.BYTES);
    }
  }
}
