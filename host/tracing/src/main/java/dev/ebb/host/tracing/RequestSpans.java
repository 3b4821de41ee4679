package dev.ebb.host.tracing;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.store.chain.RequestListener;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A span for each request of an engine that the store has served, with spans for reads of disks and
 * other nodes.
 */
final class RequestSpans implements RequestListener {

  static final String NAME = "kv_cache.request";

  /** A read of a value that another node needs for a request, and one of the own disk. */
  static final String PEER_READ = "kv_cache.peer_read";

  static final String DISK_READ = "kv_cache.disk_read";

  private static final AttributeKey<String> ID = AttributeKey.stringKey("ebb.request.id");
  private static final AttributeKey<Boolean> INFERRED =
      AttributeKey.booleanKey("ebb.request.inferred");
  private static final AttributeKey<String> POLICY = AttributeKey.stringKey("ebb.policy");
  private static final AttributeKey<String> TENANT = AttributeKey.stringKey("ebb.tenant");
  private static final AttributeKey<String> LABEL = AttributeKey.stringKey("ebb.label");
  private static final AttributeKey<Long> CHUNKS = AttributeKey.longKey("ebb.chunks.requested");
  private static final AttributeKey<Long> HITS = AttributeKey.longKey("ebb.chunks.hit");
  private static final AttributeKey<Long> MEMORY = AttributeKey.longKey("ebb.chunks.memory_hit");
  private static final AttributeKey<Long> DISK = AttributeKey.longKey("ebb.chunks.disk_read");
  private static final AttributeKey<Long> PEER = AttributeKey.longKey("ebb.chunks.peer_read");
  private static final AttributeKey<Long> STORED = AttributeKey.longKey("ebb.chunks.stored");
  private static final AttributeKey<Long> EVICTIONS = AttributeKey.longKey("ebb.evictions");
  private static final AttributeKey<Long> INPUT = AttributeKey.longKey("gen_ai.usage.input_tokens");
  private static final AttributeKey<Long> OUTPUT =
      AttributeKey.longKey("gen_ai.usage.output_tokens");
  private static final AttributeKey<String> MODEL = AttributeKey.stringKey("gen_ai.response.model");
  private static final AttributeKey<List<String>> FINISH =
      AttributeKey.stringArrayKey("gen_ai.response.finish_reasons");

  private static final AttributeKey<Boolean> FOUND = AttributeKey.booleanKey("ebb.read.found");
  private static final AttributeKey<Long> BYTES = AttributeKey.longKey("ebb.read.bytes");

  private final Tracing tracing;
  private final Supplier<String> policy;

  RequestSpans(Tracing tracing, Supplier<String> policy) {
    this.tracing = tracing;
    this.policy = policy;
  }

  /** A span that has begun, because parts of the request have spans. */
  private record OpenSpan(Span span) implements RequestTrace {

    @Override
    public @Nullable String traceparent() {
      SpanContext context = span.getSpanContext();
      return context.isSampled()
          ? "00-%s-%s-01".formatted(context.getTraceId(), context.getSpanId())
          : null;
    }
  }

  @Override
  public RequestTrace traced(@Nullable String traceparent, long beganNanos) {
    return new OpenSpan(begin(NAME, SpanKind.SERVER, traceparent, now() - beganNanos));
  }

  @Override
  public void read(TierRead read) {
    long now = now();
    Span span =
        begin(
            read.disk() ? DISK_READ : PEER_READ,
            read.disk() ? SpanKind.INTERNAL : SpanKind.SERVER,
            read.traceparent(),
            now - read.nanos());
    span.setAttribute(FOUND, read.bytes() >= 0);
    span.setAttribute(BYTES, Math.max(0, read.bytes()));
    span.end(now, TimeUnit.NANOSECONDS);
    if (read.disk()) {
      tracing.exemplar("ebb_disk_read_seconds", read.nanos(), span);
    }
  }

  private Span begin(String name, SpanKind kind, @Nullable String parent, long start) {
    return tracing
        .request(name, parent)
        .setSpanKind(kind)
        .setStartTimestamp(start, TimeUnit.NANOSECONDS)
        .startSpan();
  }

  @Override
  public void ended(EndedRequest request) {
    long now = now();
    Span span =
        request.trace() instanceof OpenSpan open
            ? open.span
            : begin(NAME, SpanKind.SERVER, request.traceparent(), now - request.beganNanos());
    if (span.isRecording()) {
      write(span, request);
      tracing.exemplar("ebb_read_seconds", request.slowest().read(), span);
      tracing.exemplar("ebb_storage_seconds", request.slowest().store(), span);
      tracing.exemplar("ebb_allocation_seconds", request.slowest().allocation(), span);
    }
    span.end(now - (request.id() == null ? request.lastNanos() : 0), TimeUnit.NANOSECONDS);
  }

  private void write(Span span, EndedRequest request) {
    RequestFacts facts = request.facts();
    text(span, ID, request.id());
    span.setAttribute(INFERRED, request.id() == null);
    span.setAttribute(POLICY, policy.get());
    text(span, TENANT, facts.tenant());
    text(span, LABEL, facts.workload());
    span.setAttribute(CHUNKS, (long) request.chunks());
    span.setAttribute(HITS, (long) request.hits());
    span.setAttribute(MEMORY, (long) request.hitsHere());
    span.setAttribute(DISK, (long) request.diskReads());
    span.setAttribute(PEER, (long) request.peerReads());
    span.setAttribute(STORED, (long) request.stored());
    span.setAttribute(EVICTIONS, request.evictions());
    tokens(span, INPUT, request.inputTokens());
    tokens(span, OUTPUT, request.outputTokens());
    text(span, MODEL, facts.end().model());
    String finish = facts.end().finishReason();
    if (finish != null) {
      span.setAttribute(FINISH, List.of(finish));
    }
  }

  private static void text(Span span, AttributeKey<String> key, @Nullable String value) {
    if (value != null) {
      span.setAttribute(key, value);
    }
  }

  private static void tokens(Span span, AttributeKey<Long> key, long count) {
    if (count >= 0) {
      span.setAttribute(key, count);
    }
  }

  private static long now() {
    Instant time = Instant.now();
    return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
  }
}
