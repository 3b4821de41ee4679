package dev.ebb.plugin.snapkv;

import dev.ebb.spi.Rotation;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The definitions, written down as they are read, in double precision. */
final class Naive {

  private Naive() {}

  static double[] gaussian(SplittableRandom random, int count) {
    return random.doubles(count, -2, 2).toArray();
  }

  static float[] floats(double[] values) {
    float[] floats = new float[values.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (float) values[i];
    }
    return floats;
  }

  /** Causal softmax attention [heads][length][length] of q [heads][length][d], k [kvHeads]... */
  static double[][][] attention(double[] q, double[] k, int heads, int kvHeads, int n, int d) {
    double[][][] a = new double[heads][n][n];
    for (int h = 0; h < heads; h++) {
      int kv = h / (heads / kvHeads);
      for (int t = 0; t < n; t++) {
        double sum = 0;
        for (int s = 0; s <= t; s++) {
          double dot = 0;
          for (int i = 0; i < d; i++) {
            dot += q[(h * n + t) * d + i] * k[(kv * n + s) * d + i];
          }
          a[h][t][s] = Math.exp(dot / Math.sqrt(d));
          sum += a[h][t][s];
        }
        for (int s = 0; s <= t; s++) {
          a[h][t][s] /= sum;
        }
      }
    }
    return a;
  }

  /** The last rows of attention as the host hands them over: [heads][w][length]. */
  static float[] window(double[][][] a, int w) {
    int n = a[0].length;
    float[] rows = new float[a.length * w * n];
    for (int h = 0; h < a.length; h++) {
      for (int t = 0; t < w; t++) {
        for (int s = 0; s < n; s++) {
          rows[(h * w + t) * n + s] = (float) a[h][n - w + t][s];
        }
      }
    }
    return rows;
  }

  /** SnapKV's scores of the tokens before the window: [kvHeads][length - w]. */
  static double[][] snapKv(double[][][] a, int kvHeads, int w, int kernel) {
    int n = a[0].length;
    int group = a.length / kvHeads;
    double[][] scores = new double[kvHeads][n - w];
    for (int h = 0; h < a.length; h++) {
      for (int s = 0; s < n - w; s++) {
        double pooled = 0;
        for (int near = s - kernel / 2; near <= s + kernel / 2; near++) {
          for (int t = n - w; t < n && near >= 0 && near < n - w; t++) {
            pooled += a[h][t][near] / w;
          }
        }
        scores[h / group][s] += pooled / kernel / group;
      }
    }
    return scores;
  }

  /** The indices of the protected and then the highest, ascending. */
  static int[] kept(float[] scores, int from, int length, BitSet mask, int keep) {
    return IntStream.range(0, length)
        .boxed()
        .sorted(
            Comparator.<Integer, Boolean>comparing(i -> !mask.get(i))
                .thenComparingDouble(i -> -scores[from + i])
                .thenComparing(Comparator.naturalOrder()))
        .limit(keep)
        .mapToInt(Integer::intValue)
        .sorted()
        .toArray();
  }

  static double norm(double[] values, int from, int count) {
    return Math.sqrt(Arrays.stream(values, from, from + count).map(x -> x * x).sum());
  }

  /** The mean of each head's keys, each divided by its norm: [kvHeads][d]. */
  static double[] anchors(double[] k, int kvHeads, int n, int d) {
    double[] anchors = new double[kvHeads * d];
    for (int i = 0; i < kvHeads * n; i++) {
      double norm = norm(k, i * d, d);
      for (int j = 0; j < d; j++) {
        anchors[i / n * d + j] += k[i * d + j] / norm / n;
      }
    }
    return anchors;
  }

  /** The mean of each head's queries but the first: [heads][d]. */
  static double[] means(double[] q, int heads, int n, int d, int skipped) {
    double[] means = new double[heads * d];
    for (int h = 0; h < heads; h++) {
      for (int t = skipped; t < n; t++) {
        for (int i = 0; i < d; i++) {
          means[h * d + i] += q[(h * n + t) * d + i] / (n - skipped);
        }
      }
    }
    return means;
  }

  /** The covariance of each head's queries but the first: [heads][d][d]. */
  static double[] covariances(double[] q, int heads, int n, int d, int skipped) {
    double[] means = means(q, heads, n, d, skipped);
    double[] out = new double[heads * d * d];
    for (int i = 0; i < out.length; i++) {
      int h = i / d / d;
      for (int t = skipped; t < n; t++) {
        double x = q[(h * n + t) * d + i / d % d] - means[h * d + i / d % d];
        double y = q[(h * n + t) * d + i % d] - means[h * d + i % d];
        out[i] += x * y / (n - skipped);
      }
    }
    return out;
  }

  /** The mean of the rotations at some positions, as a matrix [d][d]. */
  static double[][] meanRotation(Rotation rotation, long from, int count, int d) {
    double[][] mean = new double[d][d];
    for (int i = 0; i < d; i++) {
      mean[i][i] = 1;
    }
    for (int pair = 0; pair < rotation.pairs(); pair++) {
      int x = rotation.first(pair);
      int y = rotation.second(pair);
      mean[x][x] = 0;
      mean[y][y] = 0;
      for (long p = from; p < from + count; p++) {
        double cos = Math.cos(p * rotation.frequency(pair)) / count;
        double sin = Math.sin(p * rotation.frequency(pair)) / count;
        mean[x][x] += cos;
        mean[x][y] -= sin;
        mean[y][x] += sin;
        mean[y][y] += cos;
      }
    }
    return mean;
  }

  /** What one query head's softmax over keys of its group is expected to be; zero for sinks. */
  static double[] expectedShares(
      double[] mean, double[] covariance, double[][] r, double[] keys, int sinks) {
    int d = mean.length;
    int n = keys.length / d;
    double[] shares = new double[n];
    double sum = 0;
    for (int s = sinks; s < n; s++) {
      // The key turned back, so that mean and covariance need not be turned.
      double[] k = new double[d];
      for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++) {
          k[j] += r[i][j] * keys[s * d + i];
        }
      }
      double z = 0;
      for (int i = 0; i < d; i++) {
        z += k[i] * mean[i] / Math.sqrt(d);
        for (int j = 0; j < d; j++) {
          z += k[i] * covariance[i * d + j] * k[j] / (2.0 * d);
        }
      }
      shares[s] = Math.exp(z);
      sum += shares[s];
    }
    for (int s = sinks; s < n; s++) {
      shares[s] /= sum;
    }
    return shares;
  }

  /** Negative cosine between each key and its head's anchor. */
  static double[] keyDiff(double[] k, int kvHeads, int n, int d) {
    double[] anchors = anchors(k, kvHeads, n, d);
    double[] scores = new double[kvHeads * n];
    for (int i = 0; i < scores.length; i++) {
      for (int j = 0; j < d; j++) {
        scores[i] -= k[i * d + j] * anchors[i / n * d + j];
      }
      scores[i] /= norm(k, i * d, d) * norm(anchors, i / n * d, d);
    }
    return scores;
  }
}
