package dev.ebb.host.tokeneval;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A model of two layers with two heads each, whose weights are written down rather than learnt. It
 * has read {@code a b v1 v2 v3} and, asked {@code a b}, answers {@code v1 v2 v3}.
 *
 * <p>Layer 0 looks back: head 0 at the token before, head 1 at the one before that; the rotation of
 * keys and queries by their position is all they know. Layer 1, head 0 is an induction head: it
 * looks for the place where the same two tokens stood before, and reads what came next. If there is
 * none, it falls on the first token, the sink, which says {@link #NONE}. Head 1 of layer 1 looks at
 * its neighbourhood and says nothing; it competes for room.
 */
public final class RecallModel {

  /** Layers. */
  public static final int LAYERS = 2;

  /** KV heads of a layer, and query heads. */
  public static final int HEADS = 2;

  /** The first token of every text. */
  public static final int BEGIN = 0;

  /** Stands before a question. */
  public static final int QUESTION = 1;

  /** The answer where there is no such fact. */
  public static final int NONE = 2;

  static final int FIRST_A = 3;
  static final int FIRST_B = 27;
  static final int FIRST_VALUE = 51;
  static final int FIRST_FILLER = 251;
  static final int TOKENS = 311;

  private static final int EMBEDDING = 64;
  private static final int FREQUENCIES = 8;
  private static final double THETA = 10_000;
  private static final double SHARPNESS = 170;
  private static final double MATCH = 9;

  /** More than one matching token is worth, less than two. */
  private static final float SINK = 13;

  /** Elements of a head: two embeddings, and whether it is the sink. */
  static final int HEAD_DIM = 2 * EMBEDDING + 1;

  private final float[][] embeddings;
  private final double[] frequencies = new double[FREQUENCIES];

  /**
   * A model.
   *
   * @param embeddings a vector of length 1 and 64 elements for each of 311 tokens
   */
  RecallModel(float[][] embeddings) {
    this.embeddings = embeddings;
    for (int i = 0; i < FREQUENCIES; i++) {
      frequencies[i] = Math.pow(THETA, -(double) i / FREQUENCIES);
    }
  }

  /**
   * A model with random embeddings.
   *
   * @param seed decides them
   * @return the model
   */
  static RecallModel of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    float[][] embeddings = new float[TOKENS][EMBEDDING];
    for (float[] embedding : embeddings) {
      double squares = 0;
      double[] vector = new double[EMBEDDING];
      for (int i = 0; i < EMBEDDING; i++) {
        vector[i] = random.nextGaussian();
        squares += vector[i] * vector[i];
      }
      for (int i = 0; i < EMBEDDING; i++) {
        embedding[i] = (float) (vector[i] / Math.sqrt(squares));
      }
    }
    return new RecallModel(embeddings);
  }

  /** Layer 0: what stands at the position. Layer 1, head 1 alike, but slower frequencies alone. */
  void positionKey(int layer, int position, float[] key) {
    turn(layer == 0 ? 0 : 2, 1, position, key);
  }

  /** The key that the query looks for is that of the position. */
  void positionQuery(int layer, int position, float[] query) {
    turn(layer == 0 ? 0 : 2, SHARPNESS, position, query);
  }

  private void turn(int slowest, double scale, int position, float[] out) {
    Arrays.fill(out, 0);
    double each = 1 / Math.sqrt(FREQUENCIES - (double) slowest);
    for (int i = slowest; i < FREQUENCIES; i++) {
      double angle = position * frequencies[i];
      out[i] = (float) (scale * each * Math.cos(angle));
      out[i + FREQUENCIES] = (float) (scale * each * Math.sin(angle));
    }
  }

  /** Layer 1, head 0: which two tokens stood before. */
  void inductionKey(int token, float[] before, float[] beforeThat, float[] key) {
    Arrays.fill(key, 0);
    if (token == BEGIN) {
      key[2 * EMBEDDING] = SINK;
    } else {
      System.arraycopy(before, 0, key, 0, EMBEDDING);
      System.arraycopy(beforeThat, 0, key, EMBEDDING, EMBEDDING);
    }
  }

  /** Looks for the place behind this token and the one before it. */
  void inductionQuery(int token, float[] before, float[] query) {
    for (int i = 0; i < EMBEDDING; i++) {
      query[i] = (float) (MATCH * embeddings[token][i]);
      query[EMBEDDING + i] = (float) (MATCH * before[i]);
    }
    query[2 * EMBEDDING] = 1;
  }

  /** What a head reads where it looks; layer 1, head 1 has nothing to say. */
  void value(int layer, int head, int token, float[] value) {
    Arrays.fill(value, 0);
    if (layer == 0 || head == 0) {
      int said = layer == 1 && token == BEGIN ? NONE : token;
      System.arraycopy(embeddings[said], 0, value, 0, EMBEDDING);
    }
  }

  /** The token that comes next, from what the induction head has read. */
  int next(float[] read) {
    int best = 0;
    double highest = Double.NEGATIVE_INFINITY;
    for (int token = 0; token < TOKENS; token++) {
      double score = 0;
      for (int i = 0; i < EMBEDDING; i++) {
        score += (double) embeddings[token][i] * read[i];
      }
      if (score > highest) {
        highest = score;
        best = token;
      }
    }
    return best;
  }
}
