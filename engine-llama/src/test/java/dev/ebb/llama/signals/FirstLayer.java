package dev.ebb.llama.signals;

import dev.ebb.llama.testing.TinyModel;
import java.util.Arrays;

/** Keys and attention of the tiny model's first layer, computed plainly and in double precision. */
final class FirstLayer {

  private final double[][] queries;
  private final double[][] keys;

  FirstLayer(TinyModel model, int[] tokens) {
    queries = new double[tokens.length][];
    keys = new double[tokens.length][];
    for (int position = 0; position < tokens.length; position++) {
      double[] input = normalised(model, tokens[position]);
      queries[position] = turned(product(model.weight("blk.0.attn_q.weight"), input), position);
      keys[position] = turned(product(model.weight("blk.0.attn_k.weight"), input), position);
    }
  }

  /** A token's key of one KV head. */
  double[] key(int kvHead, int token) {
    int size = TinyModel.HEAD_DIM;
    return Arrays.copyOfRange(keys[token], kvHead * size, (kvHead + 1) * size);
  }

  /** What a query pays to each token up to itself. */
  double[] attention(int head, int query) {
    int size = TinyModel.HEAD_DIM;
    int kvHead = head / (TinyModel.QUERY_HEADS / TinyModel.KV_HEADS);
    double[] paid = new double[queries.length];
    double sum = 0;
    for (int token = 0; token <= query; token++) {
      double dot = 0;
      for (int dim = 0; dim < size; dim++) {
        dot += queries[query][head * size + dim] * keys[token][kvHead * size + dim];
      }
      paid[token] = Math.exp(dot / Math.sqrt(size));
      sum += paid[token];
    }
    for (int token = 0; token <= query; token++) {
      paid[token] /= sum;
    }
    return paid;
  }

  private static double[] normalised(TinyModel model, int token) {
    float[] embedding = model.weight("token_embd.weight");
    float[] gain = model.weight("blk.0.attn_norm.weight");
    double[] out = new double[TinyModel.WIDTH];
    double squares = 0;
    for (int i = 0; i < out.length; i++) {
      out[i] = embedding[token * out.length + i];
      squares += out[i] * out[i];
    }
    double scale = 1 / Math.sqrt(squares / out.length + TinyModel.EPSILON);
    for (int i = 0; i < out.length; i++) {
      out[i] *= scale * gain[i];
    }
    return out;
  }

  private static double[] product(float[] weight, double[] input) {
    double[] out = new double[weight.length / input.length];
    for (int row = 0; row < out.length; row++) {
      for (int i = 0; i < input.length; i++) {
        out[row] += weight[row * input.length + i] * input[i];
      }
    }
    return out;
  }

  /** The rotation of neighbours in pairs. */
  private static double[] turned(double[] heads, int position) {
    int size = TinyModel.HEAD_DIM;
    double[] out = new double[heads.length];
    for (int i = 0; i < heads.length; i += 2) {
      double angle = position * Math.pow(TinyModel.ROTATION_BASE, -(double) (i % size) / size);
      out[i] = heads[i] * Math.cos(angle) - heads[i + 1] * Math.sin(angle);
      out[i + 1] = heads[i] * Math.sin(angle) + heads[i + 1] * Math.cos(angle);
    }
    return out;
  }
}
