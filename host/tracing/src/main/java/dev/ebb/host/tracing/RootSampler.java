package dev.ebb.host.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;

/** Records a share of the traces that begin here. The share can change at any time. */
final class RootSampler implements Sampler {

  private record Share(Sampler sampler, double ratio) {}

  private volatile Share current;

  RootSampler(double ratio) {
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
    return ratio >= 1 || Math.abs(low) < (long) (ratio * Long.MAX_VALUE);
  }

  @Override
  public SamplingResult shouldSample(
      Context parent,
      String traceId,
      String name,
      SpanKind kind,
      Attributes attributes,
      List<LinkData> links) {
    return current.sampler.shouldSample(parent, traceId, name, kind, attributes, links);
  }

  @Override
  public String getDescription() {
    return current.sampler.getDescription();
  }
}
