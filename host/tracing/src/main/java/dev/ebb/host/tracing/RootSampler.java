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

  private volatile Sampler current;

  RootSampler(double ratio) {
    current = Sampler.traceIdRatioBased(ratio);
  }

  void ratio(double ratio) {
    current = Sampler.traceIdRatioBased(ratio);
  }

  @Override
  public SamplingResult shouldSample(
      Context parent,
      String traceId,
      String name,
      SpanKind kind,
      Attributes attributes,
      List<LinkData> links) {
    return current.shouldSample(parent, traceId, name, kind, attributes, links);
  }

  @Override
  public String getDescription() {
    return current.getDescription();
  }
}
