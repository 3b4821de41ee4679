package dev.ebb.plugin.snapkv;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The values of {@code a'x + x'Bx} for many vectors x together. The loops run over vectors side by
 * side, which the JIT compiler turns into vector instructions. Reuses its memory. For one thread.
 */
final class QuadraticForm {

  /**
   * The number of vectors side by side: enough for loops that start slowly, few enough for a near
   * cache.
   */
  private static final int TILE = 256;

  private static final int UNROLL = 8;

  private final float[] sums = new float[TILE];
  private final float[] values = new float[TILE];
  private float[][] turned = {};
  private float[] rows = {};
  private float[] linear = {};

  /** Rows of the lower triangle, each as long as the padded size; zero to the right of it. */
  private float[] square = {};

  private int size;
  private int padded;
  private boolean quadratic;

  /** Sets the form's size, and a and B to 0. */
  void clear(int dimensions) {
    quadratic = false;
    if (size != dimensions) {
      size = dimensions;
      padded = (dimensions + UNROLL - 1) / UNROLL * UNROLL;
      turned = new float[padded][TILE];
      rows = new float[TILE * dimensions];
      linear = new float[padded];
      square = new float[dimensions * padded];
    }
    Arrays.fill(linear, 0);
  }

  void linear(double[] vector, double factor) {
    for (int i = 0; i < size; i++) {
      linear[i] = (float) (vector[i] * factor);
    }
  }

  /** Sets B to a symmetric matrix times a factor. */
  void square(double[] matrix, double factor) {
    quadratic = true;
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < i; j++) {
        double both = matrix[i * size + j] + matrix[j * size + i];
        square[i * padded + j] = (float) (both * factor);
      }
      square[i * padded + i] = (float) (matrix[i * size + i] * factor);
    }
  }

  /**
   * Computes the form.
   *
   * @param vectors float32 {@code [..][size]}
   */
  void of(MemorySegment vectors, int first, int count, float[] out) {
    for (int start = 0; start < count; start += TILE) {
      int some = Math.min(TILE, count - start);
      turn(vectors, (long) (first + start) * size, some);
      Arrays.fill(values, 0);
      if (quadratic) {
        addRows();
      } else {
        for (int i = 0; i < padded; i += UNROLL) {
          addProducts(values, turned, linear, i, i);
        }
      }
      System.arraycopy(values, 0, out, start, some);
    }
  }

  private void turn(MemorySegment vectors, long from, int count) {
    Floats.copy(vectors, from, rows, count * size);
    for (int i = 0; i < size; i++) {
      float[] one = turned[i];
      for (int t = 0; t < count; t++) {
        one[t] = rows[t * size + i];
      }
    }
  }

  /** x'(a + Bx), row by row of B. */
  private void addRows() {
    for (int i = 0; i < size; i++) {
      Arrays.fill(sums, linear[i]);
      for (int j = 0; j <= i; j += UNROLL) {
        addProducts(sums, turned, square, i * padded + j, j);
      }
      addProducts(values, sums, turned[i]);
    }
  }

  private static void addProducts(float[] to, float[] a, float[] b) {
    for (int t = 0; t < TILE; t++) {
      to[t] += a[t] * b[t];
    }
  }

  private static void addProducts(float[] to, float[][] turned, float[] weights, int at, int d) {
    float w0 = weights[at];
    float w1 = weights[at + 1];
    float w2 = weights[at + 2];
    float w3 = weights[at + 3];
    float w4 = weights[at + 4];
    float w5 = weights[at + 5];
    float w6 = weights[at + 6];
    float w7 = weights[at + 7];
    float[] t0 = turned[d];
    float[] t1 = turned[d + 1];
    float[] t2 = turned[d + 2];
    float[] t3 = turned[d + 3];
    float[] t4 = turned[d + 4];
    float[] t5 = turned[d + 5];
    float[] t6 = turned[d + 6];
    float[] t7 = turned[d + 7];
    for (int t = 0; t < TILE; t++) {
      float even = w0 * t0[t] + w2 * t2[t] + w4 * t4[t] + w6 * t6[t];
      float odd = w1 * t1[t] + w3 * t3[t] + w5 * t5[t] + w7 * t7[t];
      to[t] += even + odd;
    }
  }
}
