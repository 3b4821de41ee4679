package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * Expected attention, of Devoto, Jeblick and Jégou, <a
 * href="https://arxiv.org/abs/2510.00636">Expected Attention: KV Cache Compression by Estimating
 * Attention from Future Queries Distribution</a> (2025), section 3. Queries are close to normally
 * distributed, so the attention of the next ones follows from their mean and covariance.
 *
 * <p>The mean mu and covariance Sigma of the sequence's queries are turned by the mean rotation of
 * the next positions. A key k then expects the weight {@code exp(k'mu / sqrt(d) + k'Sigma k /
 * (2d))}. Its share among the tokens behind the sinks is averaged over the query heads of a KV
 * head. The score is that share plus {@code epsilon}, times the norm of the value, as in the
 * authors' code, kvpress ({@code ExpectedAttentionPress}).
 *
 * <p>The sinks stay, and neither their queries nor their keys take part: both are unlike all
 * others.
 */
final class ExpectedAttentionPolicy extends EndsPolicy {

  private final int futurePositions;
  private final int sinks;
  private final double epsilon;
  private final boolean useCovariance;
  private final boolean useValueNorms;
  private final MeanRotation rotation = new MeanRotation();
  private final QuadraticForm form = new QuadraticForm();
  private double[] mean = {};
  private double[] covariance = {};
  private float[] logits = {};

  ExpectedAttentionPolicy(
      int futurePositions,
      int sinks,
      double epsilon,
      boolean useCovariance,
      boolean useValueNorms) {
    super(
        new Ends(sinks, 0),
        Trigger.AFTER_PREFILL,
        Granularity.KV_HEAD,
        signals(useCovariance, useValueNorms));
    this.futurePositions = futurePositions;
    this.sinks = sinks;
    this.epsilon = epsilon;
    this.useCovariance = useCovariance;
    this.useValueNorms = useValueNorms;
  }

  private static Set<Signal> signals(boolean covariance, boolean valueNorms) {
    Set<Signal> signals = EnumSet.of(Signal.KEYS, Signal.QUERY_MEAN);
    if (covariance) {
      signals.add(Signal.QUERY_COVARIANCE);
    }
    if (valueNorms) {
      signals.add(Signal.VALUE_NORM);
    }
    return signals;
  }

  @Override
  public int skippedQueries() {
    return sinks;
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    int length = view.length();
    int group = view.queryHeads() / view.kvHeads();
    int count = length - Math.min(sinks, length);
    Arrays.fill(out, 0, view.kvHeads() * length, 0);
    if (count == 0) {
      return;
    }
    prepare(view, count);
    MemorySegment keys = view.signal(Signal.KEYS, layer);
    MemorySegment means = view.signal(Signal.QUERY_MEAN, layer);
    MemorySegment covariances =
        useCovariance ? view.signal(Signal.QUERY_COVARIANCE, layer) : MemorySegment.NULL;
    for (int queryHead = 0; queryHead < view.queryHeads(); queryHead++) {
      int first = queryHead / group * length + length - count;
      expect(means, covariances, queryHead);
      form.of(keys, first, count, logits);
      addShares(out, first, count, group);
    }
    if (useValueNorms) {
      MemorySegment norms = view.signal(Signal.VALUE_NORM, layer);
      for (int i = 0; i < view.kvHeads() * length; i++) {
        out[i] = (float) ((out[i] + epsilon) * Floats.at(norms, i));
      }
    }
  }

  private void prepare(TokenView view, int count) {
    int size = view.headDimension();
    rotation.show(view.rotation(), view.position(), futurePositions);
    if (mean.length != size) {
      mean = new double[size];
      covariance = new double[size * size];
    }
    if (logits.length < count) {
      logits = new float[count + count / 4];
    }
  }

  /** Sets the form to the expected logits of a query head. */
  private void expect(MemorySegment means, MemorySegment covariances, int queryHead) {
    int size = mean.length;
    form.clear(size);
    Floats.copy(means, (long) queryHead * size, mean);
    rotation.turn(mean, 1);
    form.linear(mean, 1 / Math.sqrt(size));
    if (useCovariance) {
      Floats.copy(covariances, (long) queryHead * size * size, covariance);
      rotation.turn(covariance, size);
      rotation.turnRows(covariance, size);
      form.square(covariance, 0.5 / size);
    }
  }

  /** Adds the softmax of the logits, as one of the group's. */
  private void addShares(float[] out, int first, int count, int group) {
    float highest = Float.NEGATIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      highest = Math.max(highest, logits[i]);
    }
    double sum = 0;
    for (int i = 0; i < count; i++) {
      logits[i] = (float) Math.exp(logits[i] - highest);
      sum += logits[i];
    }
    double share = 1 / (sum * group);
    for (int i = 0; i < count; i++) {
      out[first + i] += (float) (logits[i] * share);
    }
  }
}
