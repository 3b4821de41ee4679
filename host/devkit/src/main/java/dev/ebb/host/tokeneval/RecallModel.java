package dev.ebb.host.tokeneval;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A model of two layers with two heads each, whose weights are fixed rather than learnt. After
 * reading {@code a b v1 v2 v3}, it answers {@code a b} with {@code v1 v2 v3}.
 *
 * <p>In layer 0, head 0 attends to the previous token, head 1 to the one before that. They only use
 * the rotation of keys and queries by their position. Layer 1, head 0 is an induction head: it
 * finds where the same two tokens occurred before, and reads the next one. If there is no such
 * place, it attends to the first token, the sink, whose value is {@link #NONE}. Head 1 of layer 1
 * attends to its neighbourhood and has no value; it competes for space.
 */
public final class RecallModel {

  /** The number of layers. */
  public static final int LAYERS = 2;

  /** The number of KV heads of a layer, and of query heads. */
  public static final int HEADS = 2;

  /** The first token of every text. */
  public static final int BEGIN = 0;

  /** The token before a question. */
  public static final int QUESTION = 1;

  /** The answer if there is no such fact. */
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

  /** The weight of the sink: more than that of one matching token, less than that of two. */
  private static final float SINK = 13;

  /** The elements of a head: two embeddings, and whether it is the sink. */
  static final int HEAD_DIM = 2 * EMBEDDING + 1;

  private final float[][] embeddings;
  private final double[] frequencies = new double[FREQUENCIES];

  /**
   * Creates a model.
   *
   * @param embeddings a vector of length 1 and 64 elements for each of 311 tokens
   */
  RecallModel(float[][] embeddings) {
    this.embeddings = embeddings;
    for (int i = 0; i < FREQUENCIES; i++) {
      frequencies[i] = Math.pow(THETA, -(double) i / FREQUENCIES);
    }
  }

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

  /** Writes the key of a position in layer 0; layer 1, head 1 has slower frequencies only. */
  void positionKey(int layer, int position, float[] key) {
    turn(layer == 0 ? 0 : 2, 1, position, key);
  }

  /** Writes the query for a position. */
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

  /** Writes the key of layer 1, head 0: the two tokens before. */
  void inductionKey(int token, float[] before, float[] beforeThat, float[] key) {
    Arrays.fill(key, 0);
    if (token == BEGIN) {
      key[2 * EMBEDDING] = SINK;
    } else {
      System.arraycopy(before, 0, key, 0, EMBEDDING);
      System.arraycopy(beforeThat, 0, key, EMBEDDING, EMBEDDING);
    }
  }

  /** Writes the query for the place behind this token and the one before it. */
  void inductionQuery(int token, float[] before, float[] query) {
    for (int i = 0; i < EMBEDDING; i++) {
      query[i] = (float) (MATCH * embeddings[token][i]);
      query[EMBEDDING + i] = (float) (MATCH * before[i]);
    }
    query[2 * EMBEDDING] = 1;
  }

  /** Writes the value of a token; that of layer 1, head 1 is empty. */
  void value(int layer, int head, int token, float[] value) {
    Arrays.fill(value, 0);
    if (layer == 0 || head == 0) {
      int said = layer == 1 && token == BEGIN ? NONE : token;
      System.arraycopy(embeddings[said], 0, value, 0, EMBEDDING);
    }
  }

  /** Returns the next token, from the value that the induction head has read. */
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
