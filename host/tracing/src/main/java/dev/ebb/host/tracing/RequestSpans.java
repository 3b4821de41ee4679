package dev.ebb.host.tracing;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.store.chain.RequestListener;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

  RequestSpans(Tracing tracing) {
    this.tracing = tracing;
  }

  /** A request whose ids are known, because parts of it have spans. */
  private record Identified(Tracing.Identity id) implements RequestTrace {

    @Override
    public @Nullable String traceparent() {
      SpanContext context = id.context();
      return id.isRecorded()
          ? "00-%s-%s-01".formatted(context.getTraceId(), context.getSpanId())
          : null;
    }
  }

  @Override
  public RequestTrace traced(@Nullable String traceparent, long beganNanos) {
    return new Identified(tracing.identify(traceparent));
  }

  @Override
  public void read(TierRead read) {
    long now = now();
    tracing.add(() -> span(read, now, tracing.identify(read.traceparent())));
  }

  private @Nullable SpanData span(TierRead read, long now, Tracing.Identity id) {
    if (!id.isRecorded()) {
      return null;
    }
    if (read.disk()) {
      tracing.exemplar("ebb_disk_read_seconds", read.nanos(), id.context());
    }
    return new EndedSpan(
        read.disk() ? DISK_READ : PEER_READ,
        read.disk() ? SpanKind.INTERNAL : SpanKind.SERVER,
        id,
        now - read.nanos(),
        now,
        Attributes.of(FOUND, read.bytes() >= 0, BYTES, Math.max(0, read.bytes())),
        tracing.resource);
  }

  /** Decides whether there is a span, and does no more: the caller's thread serves requests. */
  @Override
  public void ended(EndedRequest request) {
    Tracing.Identity known =
        request.trace() instanceof Identified identified
            ? identified.id
            : request.traceparent() == null ? tracing.identify(null) : null;
    if (known != null && !known.isRecorded()) {
      return;
    }
    long now = now();
    tracing.add(
        () -> span(request, now, known == null ? tracing.identify(request.traceparent()) : known));
  }

  private @Nullable SpanData span(EndedRequest request, long now, Tracing.Identity id) {
    if (!id.isRecorded()) {
      return null;
    }
    tracing.exemplar("ebb_read_seconds", request.slowest().read(), id.context());
    tracing.exemplar("ebb_storage_seconds", request.slowest().store(), id.context());
    tracing.exemplar("ebb_allocation_seconds", request.slowest().allocation(), id.context());
    return new EndedSpan(
        NAME,
        SpanKind.SERVER,
        id,
        now - request.beganNanos(),
        now - (request.id() == null ? request.lastNanos() : 0),
        attributes(request),
        tracing.resource);
  }

  private static Attributes attributes(EndedRequest request) {
    RequestFacts facts = request.facts();
    AttributesBuilder to = Attributes.builder();
    text(to, ID, request.id());
    to.put(INFERRED, request.id() == null);
    to.put(POLICY, request.policy());
    text(to, TENANT, facts.tenant());
    text(to, LABEL, facts.workload());
    to.put(CHUNKS, (long) request.chunks());
    to.put(HITS, (long) request.hits());
    to.put(MEMORY, (long) request.hitsHere());
    to.put(DISK, (long) request.diskReads());
    to.put(PEER, (long) request.peerReads());
    to.put(STORED, (long) request.stored());
    to.put(EVICTIONS, request.evictions());
    tokens(to, INPUT, request.inputTokens());
    tokens(to, OUTPUT, request.outputTokens());
    text(to, MODEL, facts.end().model());
    String finish = facts.end().finishReason();
    if (finish != null) {
      to.put(FINISH, List.of(finish));
    }
    return to.build();
  }

  private static void text(AttributesBuilder to, AttributeKey<String> key, @Nullable String value) {
    if (value != null) {
      to.put(key, value);
    }
  }

  private static void tokens(AttributesBuilder to, AttributeKey<Long> key, long count) {
    if (count >= 0) {
      to.put(key, count);
    }
  }

  private static long now() {
    Instant time = Instant.now();
    return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
  }
}
