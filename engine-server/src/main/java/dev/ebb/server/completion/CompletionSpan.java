package dev.ebb.server.completion;

import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.config.key.Setting;
import dev.ebb.host.engine.sequence.ScheduledSequence;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.openai.CompletionRequest;
import dev.ebb.host.tracing.Tracing;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The span of a request for answers, until the last one is complete. Its attributes are those of
 * the <a href="https://github.com/open-telemetry/semantic-conventions-genai">semantic conventions
 * for generative AI</a>. For the thread of its client.
 */
final class CompletionSpan {

  private static final AttributeKey<List<String>> FINISH_REASONS =
      AttributeKey.stringArrayKey("gen_ai.response.finish_reasons");

  private final @Nullable Tracing tracing;
  private final SpanBuilder builder;
  private final long begunNanos = System.nanoTime();
  private Span span = Span.getInvalid();
  private boolean streams;

  private CompletionSpan(@Nullable Tracing tracing, SpanBuilder builder) {
    this.tracing = tracing;
    this.builder = builder;
  }

  /**
   * Prepares the span of a request that has arrived, and may still be refused.
   *
   * @param tracing receives it; null for nobody
   */
  static CompletionSpan of(
      @Nullable Tracing tracing, ServerRequest request, CompletionDocuments documents) {
    String operation = documents.chat() ? "chat" : "text_completion";
    String model = documents.model();
    SpanBuilder builder =
        Tracing.requestOf(tracing, operation + " " + model, request.header("traceparent"))
            .setAttribute("gen_ai.operation.name", operation)
            .setAttribute("gen_ai.provider.name", "ebb")
            .setAttribute("gen_ai.request.model", model)
            .setAttribute("gen_ai.response.model", model)
            .setAttribute("gen_ai.response.id", documents.id())
            .setAttribute("server.address", request.server().getHostString())
            .setAttribute("server.port", (long) request.server().getPort());
    return new CompletionSpan(tracing, builder);
  }

  void tenant(@Nullable String name) {
    if (name != null) {
      builder.setAttribute("ebb.tenant", name);
    }
  }

  /** Starts the span: the request is accepted. */
  void start(CompletionRequest request) {
    streams = request.streams();
    span = builder.startSpan();
    if (!span.isRecording()) {
      return;
    }
    span.setAttribute("gen_ai.request.stream", streams);
    put("gen_ai.request.max_tokens", request.maxCompletionTokens());
    put("gen_ai.request.max_tokens", request.maxTokens());
    put("gen_ai.request.choice.count", request.n());
    put("gen_ai.request.seed", request.seed());
    put("gen_ai.request.temperature", request.temperature());
    put("gen_ai.request.top_p", request.topP());
    put("gen_ai.request.top_k", request.topK() == null ? null : (double) request.topK());
    put("gen_ai.request.presence_penalty", request.presencePenalty());
    put("gen_ai.request.frequency_penalty", request.frequencyPenalty());
  }

  private void put(String name, @Nullable Number value) {
    if (value instanceof Double number) {
      span.setAttribute(name, number);
    } else if (value != null) {
      span.setAttribute(name, value.longValue());
    }
  }

  /** Records that a part of an answer can be sent. */
  void firstChunk() {
    if (streams) {
      streams = false;
      span.setAttribute(
          "gen_ai.response.time_to_first_chunk", (System.nanoTime() - begunNanos) / 1e9);
    }
  }

  /** Ends the span: all answers are complete, or one has failed. Later ends are ignored. */
  void ended(Answers answers) {
    if (!span.isRecording()) {
      return;
    }
    Completion.Ended failure = answers.failure();
    if (failure != null) {
      fail(Setting.name(failure.reason()), requireNonNullElse(failure.message(), ""));
    }
    end(answers);
  }

  /** Ends the span: the client has disconnected, or the server stops. */
  void cancelled(Answers answers) {
    if (span.isRecording()) {
      fail("cancelled", "the request was cancelled");
      end(answers);
    }
  }

  private void fail(String type, String message) {
    span.setAttribute("error.type", type);
    span.setStatus(StatusCode.ERROR, message);
  }

  private void end(Answers answers) {
    span.setAttribute("gen_ai.usage.input_tokens", answers.promptTokens());
    int cached = answers.cachedTokens();
    span.setAttribute("gen_ai.usage.cache_read.input_tokens", cached);
    ScheduledSequence.CacheUse cache = answers.cacheUse();
    int disk = Math.min(cached, cache.diskTokens());
    int remote = Math.min(cached - disk, cache.remoteTokens());
    span.setAttribute("ebb.tokens.memory_hit", cached - disk - remote);
    span.setAttribute("ebb.tokens.disk_hit", disk);
    span.setAttribute("ebb.tokens.remote_hit", remote);
    span.setAttribute("ebb.evictions", cache.evictions());
    if (cache.policy() != null) {
      span.setAttribute("ebb.policy", cache.policy());
    }
    span.setAttribute("gen_ai.usage.output_tokens", answers.completionTokens());
    List<String> reasons =
        answers.all().stream()
            .filter(answer -> answer.ended != null)
            .map(answer -> answers.failure() == null ? answer.finish() : "error")
            .toList();
    span.setAttribute(FINISH_REASONS, reasons);
    if (tracing != null) {
      tracing.exemplar("ebb_e2e_request_latency_seconds", answers.latencyNanos(), span);
    }
    span.end();
  }
}
