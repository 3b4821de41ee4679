package dev.ebb.host.tokens.signals;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryMomentsTest {

  private static final int HEADS = 3;

  @ParameterizedTest(name = "{0} dimensions, {1} left out, centre {2}, up to {3} in one call")
  @CsvSource({"1,0,0,1", "6,4,0,7", "8,1,100,40", "17,4,-3,15", "5,9,1000,16"})
  void areThoseOfAllQueriesButTheFirst(int dim, int skipped, double centre, int most) {
    SplittableRandom random = new SplittableRandom(dim);
    QueryMoments moments = new QueryMoments(HEADS, dim, skipped, true);
    List<float[]> all = new ArrayList<>();
    while (all.size() < 400) {
      int before = all.size();
      give(moments, all, random.nextInt(1, most + 1), dim, centre, random);
      assertThat(moments.current(all.size())).isTrue();
      assertThat(moments.current(before)).isFalse();
      if (all.size() > skipped && random.nextInt(3) == 0) {
        check(moments, all.subList(skipped, all.size()), dim, centre);
      }
    }
    check(moments, all.subList(skipped, all.size()), dim, centre);
  }

  @Test
  void aCopyGoesItsOwnWay() {
    SplittableRandom random = new SplittableRandom(5);
    QueryMoments moments = new QueryMoments(HEADS, 4, 0, true);
    List<float[]> all = new ArrayList<>();
    give(moments, all, 21, 4, 0, random);
    QueryMoments copy = moments.copy();
    List<float[]> others = new ArrayList<>(all);
    give(moments, all, 30, 4, 5, random);
    give(copy, others, 17, 4, -5, random);
    check(moments, all, 4, 0);
    check(copy, others, 4, 0);
  }

  @Test
  void losesLittleToRoundingInALongText() {
    SplittableRandom random = new SplittableRandom(8);
    QueryMoments moments = new QueryMoments(HEADS, 2, 0, true);
    List<float[]> all = new ArrayList<>();
    for (int step = 0; step < 60_000; step++) {
      give(moments, all, 1, 2, 3, random);
    }
    check(moments, all, 2, 3);
  }

  /** Hands over queries, which are the heads' vectors one behind the other. */
  private static void give(
      QueryMoments moments,
      List<float[]> all,
      int count,
      int dim,
      double centre,
      SplittableRandom random) {
    float[] given = new float[HEADS * count * dim];
    for (int i = 0; i < count; i++) {
      float[] query = new float[HEADS * dim];
      for (int at = 0; at < query.length; at++) {
        query[at] = (float) (centre + random.nextGaussian() + 0.5 * query[at / 2]);
        given[(at / dim * count + i) * dim + at % dim] = query[at];
      }
      all.add(query);
    }
    moments.add(MemorySegment.ofArray(given), count, all.size());
  }

  /** In double precision, and in two passes. */
  private static void check(QueryMoments moments, List<float[]> queries, int dim, double centre) {
    Offset<Float> close = Offset.offset((float) (1e-5 * (1 + Math.abs(centre))));
    float[] means = new float[HEADS * dim];
    float[] covariances = new float[HEADS * dim * dim];
    moments.copyMean(means, 0, HEADS);
    moments.copyCovariance(covariances, 0, HEADS);
    for (int head = 0; head < HEADS; head++) {
      double[] mean = new double[dim];
      for (int i = 0; i < dim; i++) {
        for (float[] query : queries) {
          mean[i] += query[head * dim + i] / (double) queries.size();
        }
        assertThat(means[head * dim + i]).isCloseTo((float) mean[i], close);
      }
      for (int i = 0; i < dim * dim; i++) {
        double sum = 0;
        for (float[] query : queries) {
          sum +=
              (query[head * dim + i / dim] - mean[i / dim])
                  * (query[head * dim + i % dim] - mean[i % dim]);
        }
        assertThat(covariances[head * dim * dim + i])
            .isCloseTo((float) (sum / queries.size()), Offset.offset(1e-5f));
      }
    }
    float[] last = new float[dim];
    moments.copyMean(last, HEADS - 1, 1);
    assertThat(last).containsExactly(Arrays.copyOfRange(means, 2 * dim, 3 * dim));
  }
}
