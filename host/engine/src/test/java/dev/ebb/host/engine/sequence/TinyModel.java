package dev.ebb.host.engine.sequence;

import java.util.Random;

/**
 * A decoder of two layers with two KV heads of four elements: small, but with everything that makes
 * K and V depend on all tokens before. The same arithmetic for every store of K and V.
 */
final class TinyModel {

  static final int LAYERS = 2;
  static final int HEADS = 2;
  static final int HEAD_DIM = 4;
  static final int VOCABULARY = 17;
  private static final int WIDTH = HEADS * HEAD_DIM;

  /** Where K and V of one sequence are kept. */
  interface Store {
    void put(int lane, int token, float[] key, float[] value);

    float key(int lane, int token, int dim);

    float value(int lane, int token, int dim);
  }

  private final float[][] embedding = random(VOCABULARY, 1);
  private final float[][][] query = new float[LAYERS][][];
  private final float[][][] key = new float[LAYERS][][];
  private final float[][][] value = new float[LAYERS][][];

  TinyModel() {
    for (int layer = 0; layer < LAYERS; layer++) {
      query[layer] = random(WIDTH, 10 + layer);
      key[layer] = random(WIDTH, 20 + layer);
      value[layer] = random(WIDTH, 30 + layer);
    }
  }

  /**
   * Computes one token, which follows all stored ones.
   *
   * @param write false if its K and V are in the store already
   * @return the logits of the next token
   */
  float[] step(Store store, int token, int position, boolean write) {
    float[] hidden = embedding[token].clone();
    hidden[position % WIDTH] += 0.5f;
    for (int layer = 0; layer < LAYERS; layer++) {
      float[] queries = times(query[layer], hidden);
      float[] keys = times(key[layer], hidden);
      float[] values = times(value[layer], hidden);
      for (int head = 0; head < HEADS; head++) {
        int lane = layer * HEADS + head;
        if (write) {
          store.put(lane, position, head(keys, head), head(values, head));
        }
        float[] seen = attend(store, lane, head(queries, head), position + 1);
        for (int dim = 0; dim < HEAD_DIM; dim++) {
          hidden[head * HEAD_DIM + dim] += seen[dim];
        }
      }
    }
    return times(embedding, hidden);
  }

  private static float[] attend(Store store, int lane, float[] query, int tokens) {
    float[] seen = new float[HEAD_DIM];
    float total = 0;
    for (int token = 0; token < tokens; token++) {
      float dot = 0;
      for (int dim = 0; dim < HEAD_DIM; dim++) {
        dot += query[dim] * store.key(lane, token, dim);
      }
      float weight = (float) Math.exp(dot / 2);
      total += weight;
      for (int dim = 0; dim < HEAD_DIM; dim++) {
        seen[dim] += weight * store.value(lane, token, dim);
      }
    }
    for (int dim = 0; dim < HEAD_DIM; dim++) {
      seen[dim] /= total;
    }
    return seen;
  }

  private static float[] head(float[] all, int head) {
    float[] one = new float[HEAD_DIM];
    System.arraycopy(all, head * HEAD_DIM, one, 0, HEAD_DIM);
    return one;
  }

  private static float[] times(float[][] matrix, float[] vector) {
    float[] product = new float[matrix.length];
    for (int row = 0; row < matrix.length; row++) {
      for (int column = 0; column < vector.length; column++) {
        product[row] += matrix[row][column] * vector[column];
      }
    }
    return product;
  }

  private static float[][] random(int rows, long seed) {
    Random random = new Random(seed);
    float[][] matrix = new float[rows][WIDTH];
    for (float[] row : matrix) {
      for (int column = 0; column < WIDTH; column++) {
        row[column] = (float) random.nextGaussian() * 0.4f;
      }
    }
    return matrix;
  }
}
