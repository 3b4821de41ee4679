package dev.ebb.host.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Records a share of the traces that begin here, which can change at any time, and no more than
 * some of them in a second. Thread-safe.
 */
final class RootSampler implements Sampler {

  private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private record Share(Sampler sampler, double ratio) {}

  private final long intervalNanos;

  /** The time when the traces so far are within the limit. */
  private final AtomicLong paidNanos = new AtomicLong(System.nanoTime() - BURST_NANOS);

  private final LongAdder limited = new LongAdder();
  private volatile Share current;

  RootSampler(double ratio, int mostPerSecond) {
    intervalNanos = BURST_NANOS / mostPerSecond;
    current = new Share(Sampler.traceIdRatioBased(ratio), ratio);
  }

  void ratio(double ratio) {
    current = new Share(Sampler.traceIdRatioBased(ratio), ratio);
  }

  /**
   * Returns whether a trace is recorded, as {@link #shouldSample} does.
   *
   * @param low the last 64 bits of its id
   */
  boolean samples(long low) {
    double ratio = current.ratio;
    boolean drawn = ratio > 0 && Math.abs(low) < (long) (ratio * Long.MAX_VALUE);
    return drawn && isWithinLimit();
  }

  private boolean isWithinLimit() {
    long now = System.nanoTime();
    while (true) {
      long paid = paidNanos.get();
      long from = Math.max(paid - now, -BURST_NANOS);
      if (from + intervalNanos > 0) {
        limited.increment();
        return false;
      }
      if (paidNanos.compareAndSet(paid, now + from + intervalNanos)) {
        return true;
      }
    }
  }

  long limited() {
    return limited.sum();
  }

  @Override
  public SamplingResult shouldSample(
      Context parent,
      String traceId,
      String name,
      SpanKind kind,
      Attributes attributes,
      List<LinkData> links) {
    SamplingResult result =
        current.sampler.shouldSample(parent, traceId, name, kind, attributes, links);
    return result.getDecision() != SamplingDecision.RECORD_AND_SAMPLE || isWithinLimit()
        ? result
        : SamplingResult.drop();
  }

  @Override
  public String getDescription() {
    return current.sampler.getDescription();
  }
}
