package dev.ebb.host.tokens.signals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Mean and covariance of all queries of one layer, except those at the text's beginning. Queries
 * are added in batches, which is faster and loses less to rounding than one by one. It uses the
 * pairwise rule of Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance" (1983).
 * Two parts' sums of squares, and the distance of their means as one more vector, add up to those
 * of the whole. Not thread-safe.
 */
final class QueryMoments {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /** The number of vectors that one pass over a row of the covariance adds. */
  private static final int UNROLL = 8;

  private static final int VECTORS = 2 * UNROLL;

  /** The maximum number of waiting queries: the distance of the means is one vector more. */
  private static final int BATCH = VECTORS - 1;

  private final int queryHeads;
  private final int headDim;
  private final int skipped;
  private final boolean withCovariance;

  private final double[] mean;

  private final float[] covariance;

  private final float[] waiting;

  private final float[][] vectors;
  private final float[] row;
  private int waits;
  private long added;
  private int position = -1;

  /** Creates an empty record that leaves out some positions at the text's beginning. */
  QueryMoments(int queryHeads, int headDim, int skipped, boolean withCovariance) {
    this.queryHeads = queryHeads;
    this.headDim = headDim;
    this.skipped = skipped;
    this.withCovariance = withCovariance;
    mean = new double[queryHeads * headDim];
    covariance = new float[withCovariance ? queryHeads * triangle(headDim) : 0];
    waiting = new float[BATCH * queryHeads * headDim];
    vectors = new float[VECTORS][headDim];
    row = new float[headDim];
  }

  QueryMoments copy() {
    QueryMoments copy = new QueryMoments(queryHeads, headDim, skipped, withCovariance);
    System.arraycopy(mean, 0, copy.mean, 0, mean.length);
    System.arraycopy(covariance, 0, copy.covariance, 0, covariance.length);
    System.arraycopy(waiting, 0, copy.waiting, 0, waits * queryHeads * headDim);
    copy.waits = waits;
    copy.added = added;
    copy.position = position;
    return copy;
  }

  private static int triangle(int rows) {
    return rows * (rows + 1) / 2;
  }

  /** Adds queries of tokens that end before a position. */
  void add(MemorySegment given, int count, int before) {
    position = before;
    for (int i = Math.max(0, skipped - (before - count)); i < count; i++) {
      for (int head = 0; head < queryHeads; head++) {
        MemorySegment.copy(
            given,
            FLOAT,
            ((long) head * count + i) * headDim * Float.BYTES,
            waiting,
            (waits * queryHeads + head) * headDim,
            headDim);
      }
      waits++;
      if (waits == BATCH) {
        fold();
      }
    }
  }

  /** Returns whether the query of the last token before a position was given. */
  boolean current(int before) {
    return position == before;
  }

  void copyMean(float[] out, int firstHead, int heads) {
    fold();
    for (int i = 0; i < heads * headDim; i++) {
      out[i] = (float) mean[firstHead * headDim + i];
    }
  }

  void copyCovariance(float[] out, int firstHead, int heads) {
    fold();
    for (int head = 0; head < heads; head++) {
      int from = (firstHead + head) * triangle(headDim);
      int to = head * headDim * headDim;
      for (int i = 0; i < headDim; i++) {
        System.arraycopy(covariance, from + triangle(i), out, to + i * headDim, i + 1);
        for (int j = 0; j < i; j++) {
          out[to + j * headDim + i] = out[to + i * headDim + j];
        }
      }
    }
  }

  private void fold() {
    if (waits == 0) {
      return;
    }
    for (int head = 0; head < queryHeads; head++) {
      centre(head);
      if (withCovariance) {
        addProducts(head * triangle(headDim));
      }
    }
    added += waits;
    waits = 0;
  }

  /**
   * Centres the waiting queries of a head around their own mean; the last vector is its distance
   * from ours.
   */
  private void centre(int head) {
    double share = (double) waits / (added + waits);
    double weight = Math.sqrt(added * share);
    for (int dim = 0; dim < headDim; dim++) {
      double own = 0;
      for (int i = 0; i < waits; i++) {
        own += waiting[(i * queryHeads + head) * headDim + dim];
      }
      own /= waits;
      for (int i = 0; i < waits; i++) {
        vectors[i][dim] = (float) (waiting[(i * queryHeads + head) * headDim + dim] - own);
      }
      int at = head * headDim + dim;
      vectors[waits][dim] = (float) ((own - mean[at]) * weight);
      mean[at] += (own - mean[at]) * share;
    }
    for (int i = waits + 1; i < VECTORS; i++) {
      Arrays.fill(vectors[i], 0);
    }
  }

  private void addProducts(int from) {
    float old = (float) ((double) added / (added + waits));
    float share = (float) (1.0 / (added + waits));
    for (int i = 0; i < headDim; i++) {
      System.arraycopy(covariance, from + triangle(i), row, 0, i + 1);
      addProducts(row, i, old, share, vectors, 0);
      if (waits >= UNROLL) {
        addProducts(row, i, 1, share, vectors, UNROLL);
      }
      System.arraycopy(row, 0, covariance, from + triangle(i), i + 1);
    }
  }

  private static void addProducts(
      float[] row, int i, float old, float share, float[][] vectors, int first) {
    float[] v0 = vectors[first];
    float[] v1 = vectors[first + 1];
    float[] v2 = vectors[first + 2];
    float[] v3 = vectors[first + 3];
    float[] v4 = vectors[first + 4];
    float[] v5 = vectors[first + 5];
    float[] v6 = vectors[first + 6];
    float[] v7 = vectors[first + 7];
    float w0 = v0[i] * share;
    float w1 = v1[i] * share;
    float w2 = v2[i] * share;
    float w3 = v3[i] * share;
    float w4 = v4[i] * share;
    float w5 = v5[i] * share;
    float w6 = v6[i] * share;
    float w7 = v7[i] * share;
    for (int j = 0; j <= i; j++) {
      float even = w0 * v0[j] + w2 * v2[j] + w4 * v4[j] + w6 * v6[j];
      float odd = w1 * v1[j] + w3 * v3[j] + w5 * v5[j] + w7 * v7[j];
      row[j] = row[j] * old + (even + odd);
    }
  }
}
