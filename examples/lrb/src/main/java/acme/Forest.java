package acme;

import java.util.Arrays;

/**
 * Gradient-boosted regression trees for squared errors (Friedman, Annals of Statistics 2001). All
 * trees have the same depth and lie in arrays, so a prediction takes a few dozen comparisons.
 */
final class Forest {

  private static final int TREES = 32;
  private static final int DEPTH = 4;
  private static final int SPLITS = (1 << DEPTH) - 1;
  private static final int LEAVES = 1 << DEPTH;
  private static final int BINS = 32;
  private static final int LEAST_SAMPLES = 16;
  private static final float SHRINKAGE = 0.2f;

  private final float mean;
  private final int[] feature = new int[TREES * SPLITS];
  private final float[] threshold = new float[TREES * SPLITS];
  private final float[] value = new float[TREES * LEAVES];

  private Forest(float mean) {
    this.mean = mean;
    Arrays.fill(threshold, Float.POSITIVE_INFINITY);
  }

  double predict(float[] features) {
    double sum = mean;
    for (int tree = 0; tree < TREES; tree++) {
      sum += value[tree * LEAVES + leaf(tree, features)];
    }
    return sum;
  }

  private int leaf(int tree, float[] features) {
    int node = 0;
    for (int level = 0; level < DEPTH; level++) {
      int split = tree * SPLITS + node;
      node = 2 * node + (features[feature[split]] <= threshold[split] ? 1 : 2);
    }
    return node - SPLITS;
  }

  /** Trains a model. Ends early if its thread is interrupted, which the host does at unload. */
  static Forest train(Samples samples) {
    int count = samples.size();
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += samples.labels[i];
    }
    Forest forest = new Forest((float) (sum / Math.max(1, count)));
    float[] residuals = new float[count];
    for (int i = 0; i < count; i++) {
      residuals[i] = samples.labels[i] - forest.mean;
    }
    float[][] thresholds = quantiles(samples);
    byte[][] bins = bins(samples, thresholds);
    for (int tree = 0; tree < TREES; tree++) {
      if (Thread.interrupted()) {
        throw new IllegalStateException("interrupted");
      }
      forest.grow(tree, bins, thresholds, residuals);
    }
    return forest;
  }

  /** Returns for each feature the upper ends of its bins, which hold about as many samples. */
  private static float[][] quantiles(Samples samples) {
    float[][] thresholds = new float[Features.COUNT][BINS - 1];
    float[] sorted = new float[samples.size()];
    for (int f = 0; f < Features.COUNT; f++) {
      for (int i = 0; i < sorted.length; i++) {
        sorted[i] = samples.features[i][f];
      }
      Arrays.sort(sorted);
      for (int bin = 0; bin < BINS - 1; bin++) {
        thresholds[f][bin] = sorted[(bin + 1) * sorted.length / BINS];
      }
    }
    return thresholds;
  }

  private static byte[][] bins(Samples samples, float[][] thresholds) {
    byte[][] bins = new byte[samples.size()][Features.COUNT];
    for (int i = 0; i < bins.length; i++) {
      for (int f = 0; f < Features.COUNT; f++) {
        int bin = 0;
        while (bin < BINS - 1 && samples.features[i][f] > thresholds[f][bin]) {
          bin++;
        }
        bins[i][f] = (byte) bin;
      }
    }
    return bins;
  }

  private void grow(int tree, byte[][] bins, float[][] thresholds, float[] residuals) {
    int[] node = new int[bins.length];
    for (int at = 0; at < SPLITS; at++) {
      split(tree, at, node, bins, thresholds, residuals);
    }
    double[] sums = new double[LEAVES];
    int[] counts = new int[LEAVES];
    for (int i = 0; i < node.length; i++) {
      sums[node[i] - SPLITS] += residuals[i];
      counts[node[i] - SPLITS]++;
    }
    for (int leaf = 0; leaf < LEAVES; leaf++) {
      value[tree * LEAVES + leaf] = (float) (SHRINKAGE * sums[leaf] / Math.max(1, counts[leaf]));
    }
    for (int i = 0; i < node.length; i++) {
      residuals[i] -= value[tree * LEAVES + node[i] - SPLITS];
    }
  }

  /** Splits the samples of a node where that reduces the squared error most. */
  private void split(
      int tree, int at, int[] node, byte[][] bins, float[][] thresholds, float[] residuals) {
    double[][] sums = new double[Features.COUNT][BINS];
    int[][] counts = new int[Features.COUNT][BINS];
    double sum = 0;
    int count = 0;
    for (int i = 0; i < node.length; i++) {
      if (node[i] == at) {
        sum += residuals[i];
        count++;
        for (int f = 0; f < Features.COUNT; f++) {
          sums[f][bins[i][f]] += residuals[i];
          counts[f][bins[i][f]]++;
        }
      }
    }
    int bestFeature = 0;
    int bestBin = BINS;
    double bestGain = sum * sum / Math.max(1, count) + 1e-6;
    for (int f = 0; f < Features.COUNT; f++) {
      double left = 0;
      int less = 0;
      for (int bin = 0; bin < BINS - 1; bin++) {
        left += sums[f][bin];
        less += counts[f][bin];
        if (less >= LEAST_SAMPLES && count - less >= LEAST_SAMPLES) {
          double right = sum - left;
          double gain = left * left / less + right * right / (count - less);
          if (gain > bestGain) {
            bestGain = gain;
            bestFeature = f;
            bestBin = bin;
          }
        }
      }
    }
    if (bestBin < BINS) {
      feature[tree * SPLITS + at] = bestFeature;
      threshold[tree * SPLITS + at] = thresholds[bestFeature][bestBin];
    }
    for (int i = 0; i < node.length; i++) {
      if (node[i] == at) {
        node[i] = 2 * at + (bins[i][bestFeature] <= bestBin ? 1 : 2);
      }
    }
  }
}
