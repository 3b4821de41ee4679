package dev.ebb.host.tracing;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.TracingConfig;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The spans of a process. A collector that is slow or away costs spans, never a request. */
public final class Tracing implements MetricSource, AutoCloseable {

  static final String SCOPE = "dev.ebb";

  /** The path of traces in OTLP over HTTP, for an endpoint without a path. */
  private static final String PATH = "/v1/traces";

  /** The exporter logs each failure, and {@link SpanQueue} only the first. */
  private static final Logger EXPORTER = Logger.getLogger("io.opentelemetry.exporter");

  /** A trace context of W3C: version, trace, span and flags; later versions may add more. */
  private static final Pattern TRACEPARENT =
      Pattern.compile("(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

  private final SpanQueue queue;
  private final RecentSpans recent = new RecentSpans();
  private final RootSampler sampler;

  final Resource resource;

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  private Tracing(TracingConfig config, URI endpoint) {
    EXPORTER.setLevel(Level.OFF);
    OtlpHttpSpanExporterBuilder exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(withPath(endpoint).toString())
            .setTimeout(config.timeout())
            .setConnectTimeout(config.timeout());
    config.headers().forEach(exporter::addHeader);
    sampler = new RootSampler(config.sampleRatio(), config.maxTraces());
    queue = new SpanQueue(exporter.build(), endpoint, config.maxQueueSize(), config.timeout());
    resource =
        Resource.getDefault()
            .merge(
                Resource.create(
                    Attributes.of(
                        AttributeKey.stringKey("service.name"),
                        config.serviceName(),
                        AttributeKey.stringKey("service.instance.id"),
                        UUID.randomUUID().toString())));
    provider =
        SdkTracerProvider.builder()
            .setResource(resource)
            .setSampler(Sampler.parentBased(sampler))
            .addSpanProcessor(queue)
            .build();
    tracer = provider.get(SCOPE);
  }

  /** Starts tracing; returns null if the configuration has no endpoint. */
  public static @Nullable Tracing start(TracingConfig config) {
    return config.endpoint() == null
        ? null
        : new Tracing(config, requireNonNull(config.endpoint()));
  }

  public void sample(double ratio) {
    sampler.ratio(ratio);
  }

  static URI withPath(URI endpoint) {
    String path = endpoint.getPath();
    return path.isEmpty() || path.equals("/") ? endpoint.resolve(PATH) : endpoint;
  }

  /**
   * Returns a span of a request as {@link #request} does.
   *
   * @param tracing null if there is none: then the span records nothing
   */
  public static SpanBuilder requestOf(
      @Nullable Tracing tracing, String name, @Nullable String traceparent) {
    return tracing == null
        ? TracerProvider.noop().get(SCOPE).spanBuilder(name)
        : tracing.request(name, traceparent);
  }

  /**
   * Returns a span of a request of a client, to be started.
   *
   * @param traceparent the client's trace context in W3C's format; null, or a wrong one, begins a
   *     trace
   */
  public SpanBuilder request(String name, @Nullable String traceparent) {
    return tracer.spanBuilder(name).setSpanKind(SpanKind.SERVER).setParent(parent(traceparent));
  }

  /**
   * Makes a span an exemplar of a histogram of latencies, if it is sampled.
   *
   * @param nanos the value that was measured in it; negative if there is none
   */
  public void exemplar(String metric, long nanos, Span span) {
    exemplar(metric, nanos, span.getSpanContext());
  }

  void exemplar(String metric, long nanos, SpanContext span) {
    recent.add(metric, nanos, span);
  }

  private static Context parent(@Nullable String traceparent) {
    SpanContext parent = parentOf(traceparent);
    return parent.isValid() ? Context.root().with(Span.wrap(parent)) : Context.root();
  }

  /** Returns a client's trace context; an invalid one if there is none. */
  private static SpanContext parentOf(@Nullable String traceparent) {
    if (traceparent == null) {
      return SpanContext.getInvalid();
    }
    Matcher parts = TRACEPARENT.matcher(traceparent.strip());
    return parts.matches()
        ? SpanContext.createFromRemoteParent(
            parts.group(1),
            parts.group(2),
            TraceFlags.fromHex(parts.group(3), 0),
            TraceState.getDefault())
        : SpanContext.getInvalid();
  }

  /**
   * The ids of a span and its parent, which is invalid at the begin of a trace.
   *
   * @param context sampled if the span is recorded
   */
  record Identity(SpanContext context, SpanContext parent) {

    private static final Identity NOT_RECORDED =
        new Identity(SpanContext.getInvalid(), SpanContext.getInvalid());

    boolean isRecorded() {
      return context.isSampled();
    }
  }

  /** Returns a new span, recorded as the client says; see {@link #request}. */
  Identity identify(@Nullable String traceparent) {
    SpanContext parent = parentOf(traceparent);
    if (parent.isValid()) {
      return parent.isSampled() ? sampled(parent.getTraceId(), parent) : Identity.NOT_RECORDED;
    }
    RandomGenerator ids = ThreadLocalRandom.current();
    long low = ids.nextLong();
    return sampler.samples(low)
        ? sampled(TraceId.fromLongs(ids.nextLong(), low), parent)
        : Identity.NOT_RECORDED;
  }

  private static Identity sampled(String trace, SpanContext parent) {
    String span = SpanId.fromLong(ThreadLocalRandom.current().nextLong());
    TraceFlags flags = TraceFlags.getSampled();
    return new Identity(SpanContext.create(trace, span, flags, TraceState.getDefault()), parent);
  }

  /** Sends an ended span, built by the thread that sends it; null for none. */
  void add(Supplier<@Nullable SpanData> span) {
    queue.add(span);
  }

  /**
   * The spans so far.
   *
   * @param queueFull dropped because too many waited
   * @param limited traces that were not recorded because there were too many in a second
   * @param notSent dropped because the collector did not accept them
   */
  record Counts(long sent, long queueFull, long limited, long notSent, int queued) {}

  Counts counts() {
    return queue.counts(sampler.limited());
  }

  @Override
  public void write(MetricSink sink) {
    Counts counts = counts();
    sink.count("ebb_spans_total", counts.sent);
    sink.count("ebb_spans_dropped_total", counts.queueFull, "queue-full");
    sink.count("ebb_spans_dropped_total", counts.limited, "too-many");
    sink.count("ebb_spans_dropped_total", counts.notSent, "not-sent");
    sink.count("ebb_spans_queued", counts.queued);
    recent.write(sink);
  }

  /** Sends what is queued, for some seconds at most. */
  @Override
  public void close() {
    provider.close();
  }
}
