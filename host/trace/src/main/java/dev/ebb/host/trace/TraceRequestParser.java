package dev.ebb.host.trace;

import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.hint.HintEnvelope;
import dev.ebb.host.hint.RequestHints;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/**
 * Parses one request from one line of JSON. Knows nothing of the lines before. It detects the
 * format by the fields:
 *
 * <ul>
 *   <li>Mooncake: {@code timestamp} in milliseconds, {@code input_length}, {@code output_length},
 *       {@code hash_ids}. AIPerf and Dynamo add {@code session_id} and {@code delay}, milliseconds
 *       after the previous request of the session, and Dynamo other names of the fields: see <a
 *       href="https://docs.rs/dynamo-data-gen/latest/src/dynamo_data_gen/mooncake.rs.html">MooncakeRow</a>
 *       and <a
 *       href="https://docs.nvidia.com/aiperf/dev/benchmark-modes/trace-replay-with-mooncake-traces">AIPerf</a>.
 *   <li>Qwen-Bailian: the same with {@code timestamp} in seconds, and {@code chat_id}, {@code
 *       parent_chat_id} (-1: none), {@code turn}, {@code type}.
 *   <li>The chunk statistics of LMCache, strategy {@code file_hash}: {@code timestamp} in seconds
 *       and {@code chunk_hashes}. See <a
 *       href="https://github.com/LMCache/LMCache/blob/dev/lmcache/v1/lookup_client/record_strategies/file_hash.py">FileHashStrategy</a>.
 *   <li>The request log of SGLang in JSON: the event {@code request.received} with {@code
 *       obj.input_ids}. See {@code RequestLogger} in <a
 *       href="https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/utils/request_logger.py">request_logger.py</a>.
 *   <li>Lines with all requests of a session: {@link SessionLine}.
 * </ul>
 */
final class TraceRequestParser {

  private static final String SGLANG_REMEDY =
      "start SGLang with --log-requests --log-requests-level 3 --log-requests-format json";

  private static final RequestHints.Target IN_TOKENS =
      new RequestHints.Target(Integer.MAX_VALUE, 1, false, false, Long.MAX_VALUE);

  private final JsonLine json = new JsonLine();
  private final int chunkTokens;
  private final TokenBlocks blocks;
  private final SessionLine session;

  /** The groups that were parsed last. */
  private @Nullable String parsedGroups;

  private boolean hasTimestamp;
  private boolean wholeTimestamp;
  private long timestampWhole;
  private double timestampReal;
  private boolean isoTimestamp;
  private boolean hasIds;
  private boolean hasChunks;
  private boolean hasText;
  private boolean hasEvent;
  private boolean received;
  private boolean hasWorkload;
  private boolean hasSession;
  private boolean hasDelay;
  private long delayNanos;
  private boolean hasChat;
  private long chat;
  private boolean hasParent;
  private long parent;

  /**
   * Creates a parser.
   *
   * @param blockTokens tokens of a block where a line has token ids
   * @param chunkTokens tokens of a block where a line has chunk hashes of LMCache
   */
  TraceRequestParser(int blockTokens, int chunkTokens) {
    this.blocks = new TokenBlocks(blockTokens);
    this.session = new SessionLine(json, blocks);
    this.chunkTokens = chunkTokens;
  }

  /**
   * Reads a line into a request, or into a {@link #session()}. {@code timestampNanos} becomes the
   * timestamp as the trace states it; {@code sequenceId} is set if the line has a {@code
   * session_id}.
   *
   * @return false if the line is an event of a log that is not the arrival of a request
   */
  boolean parse(byte[] bytes, int from, int to, TraceRequest request)
      throws MalformedLineException {
    clear(request);
    json.read(bytes, from, to, (name, value) -> field(name, value, request));
    if (hasEvent && !received) {
      return false;
    }
    if (session.isSession()) {
      return true;
    }
    check(request);
    if (hasChunks) {
      request.inputTokens = (long) request.blocks * chunkTokens;
    }
    request.timestampNanos = hasTimestamp ? timestampNanos() : 0;
    return true;
  }

  /** Returns whether the line names a chat, and so is in the Qwen-Bailian format. */
  boolean hasChat() {
    return hasChat;
  }

  /** Returns the requests of the line by time if it holds those of a session, null if one. */
  @Nullable ColumnsCursor session() {
    return session.isSession() ? session.finish() : null;
  }

  boolean hasSession() {
    return hasSession;
  }

  /** Returns whether the line is an event of SGLang's log. */
  boolean isLog() {
    return hasEvent;
  }

  /** Returns whether the request follows the previous one of its session after a delay. */
  boolean hasDelay() {
    return hasDelay && !hasTimestamp;
  }

  long delayNanos() {
    return delayNanos;
  }

  long chat() {
    return chat;
  }

  /** Returns whether the chat continues another one, {@link #parent()}. */
  boolean hasParent() {
    return hasParent;
  }

  long parent() {
    return parent;
  }

  private void clear(TraceRequest request) {
    request.clear();
    request.inputTokens = TraceRequest.UNKNOWN;
    session.clear();
    hasTimestamp = false;
    isoTimestamp = false;
    hasIds = false;
    hasChunks = false;
    hasText = false;
    hasEvent = false;
    received = false;
    hasWorkload = false;
    hasSession = false;
    hasDelay = false;
    hasChat = false;
    hasParent = false;
  }

  private void field(String field, JsonToken value, TraceRequest request)
      throws MalformedLineException {
    switch (field) {
      case "timestamp", "created_time" -> timestamp(value);
      case "delay", "delay_ms" -> {
        delayNanos = Math.round(json.amount(field, value) * 1e6);
        hasDelay = true;
      }
      case "input_length", "input_tokens" -> request.inputTokens = json.length(field, value);
      case "output_length", "output_tokens" -> request.outputTokens = json.length(field, value);
      case "hash_ids", "chunk_hashes" -> {
        json.ids(field, value, request);
        hasIds = true;
        hasChunks |= field.equals("chunk_hashes");
      }
      case "text_input", "messages", "payload" -> {
        hasText = true;
        json.skip(value);
      }
      case "event" -> {
        received = json.text(field, value).equals("request.received");
        hasEvent = true;
      }
      case "obj" -> generateRequest(value, request);
      case "id", "hash_id_scope", "requests", "response" -> session(field, value);
      case "chat_id" -> {
        chat = json.id(field, value);
        hasChat = true;
      }
      case "parent_chat_id" -> {
        parent = json.id(field, value);
        hasParent = value != JsonToken.VALUE_NUMBER_INT || parent != -1;
      }
      case "session_id" -> {
        request.sequenceId = json.id(field, value);
        hasSession = true;
      }
      default -> property(field, value, request);
    }
  }

  /** Reads a field of a line with all requests of a session; others may have such fields too. */
  private void session(String field, JsonToken value) throws MalformedLineException {
    switch (field) {
      case "requests" -> session.requests(value);
      case "response" -> session.response(value);
      case "id" -> {
        if (json.isLong(value) || value == JsonToken.VALUE_STRING) {
          session.id(json.id(field, value));
        } else {
          json.skip(value);
        }
      }
      default -> session.scope(json.text(field, value));
    }
  }

  private void property(String field, JsonToken value, TraceRequest request)
      throws MalformedLineException {
    switch (field) {
      case "turn" -> request.turn = json.smallNumber(field, value);
      case "type" -> type(value, request);
      case "tenant" -> request.tenant = json.text(field, value);
      case "workload" -> {
        request.workload = json.text(field, value);
        hasWorkload = true;
      }
      case "priority" -> request.priority = json.smallNumber(field, value);
      case "hint" -> request.hint = json.smallNumber(field, value);
      case "finish_reason" -> request.finishReason = json.text(field, value);
      case "model" -> request.model = json.text(field, value);
      case "object_groups" -> request.groups = groups(field, value);
      case "return_after_s" -> request.returnNanos = Math.round(json.amount(field, value) * 1e9);
      case "kv_hints" -> hints(field, value, request);
      case "lifetime" -> request.lifetimeNanos = Math.round(json.amount(field, value) * 1e9);
      case "recompute_cost" -> request.recomputeCost = json.amount(field, value);
      default -> json.skip(value);
    }
  }

  /** Reads what the hints of a request retain, by ranges of tokens. Wrong actions do not count. */
  private void hints(String field, JsonToken value, TraceRequest request)
      throws MalformedLineException {
    try {
      RequestEnd hinted =
          RequestHints.of(HintEnvelope.parse(json.raw(value)), IN_TOKENS)
              .addTo(RequestFacts.UNKNOWN, 0)
              .end();
      request.retention = hinted.retention();
      request.returnNanos = Math.max(request.returnNanos, hinted.returnNanos());
    } catch (UserError wrong) {
      throw new MalformedLineException(field + ": " + wrong.getMessage());
    }
  }

  private String groups(String field, JsonToken value) throws MalformedLineException {
    String text = json.text(field, value);
    if (!text.equals(parsedGroups)) {
      try {
        ObjectGroups.parseSized(field, text);
      } catch (UserError wrong) {
        throw new MalformedLineException(wrong.messages().getFirst());
      }
      parsedGroups = text;
    }
    return text;
  }

  private void check(TraceRequest request) throws MalformedLineException {
    if (hasEvent) {
      if (!hasIds) {
        throw new MalformedLineException(
            "input_ids of SGLang is missing, so it does not show which prompts share blocks; "
                + SGLANG_REMEDY);
      }
      return;
    }
    if (!hasTimestamp && !hasDelay) {
      throw new MalformedLineException("timestamp is missing");
    }
    if (hasText && !hasIds) {
      throw new MalformedLineException(
          "hash_ids is missing, and Ebb does not tokenize text; convert the trace to one with"
              + " hash_ids");
    }
    if (request.inputTokens < 0 && !hasChunks) {
      throw new MalformedLineException("input_length is missing");
    }
    if (!hasIds) {
      throw new MalformedLineException(
          "hash_ids is missing; lengths do not show which prompts share blocks");
    }
  }

  private void timestamp(JsonToken value) throws MalformedLineException {
    if (json.isLong(value)) {
      timestampWhole = json.whole();
      wholeTimestamp = true;
    } else if (value == JsonToken.VALUE_NUMBER_FLOAT) {
      timestampReal = json.real();
      wholeTimestamp = false;
    } else if (value == JsonToken.VALUE_STRING) {
      timestampWhole = isoNanos(value);
      isoTimestamp = true;
    } else {
      throw json.wrong("timestamp", "must be a number");
    }
    hasTimestamp = true;
  }

  private long isoNanos(JsonToken value) throws MalformedLineException {
    String text = json.text("timestamp", value);
    try {
      Instant time = LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
      return time.getEpochSecond() * 1_000_000_000 + time.getNano();
    } catch (DateTimeException e) {
      throw json.wrong("timestamp", "must be a number, or a time such as 2026-01-31T12:00:00.5");
    }
  }

  private long timestampNanos() throws MalformedLineException {
    if (isoTimestamp) {
      return timestampWhole;
    }
    boolean seconds = hasChat || hasChunks;
    long unit = seconds ? 1_000_000_000L : 1_000_000L;
    double nanos = (wholeTimestamp ? timestampWhole : timestampReal) * unit;
    if (!(nanos >= 0 && nanos < 0x1p63)) {
      throw new MalformedLineException(
          "timestamp is '%s', must be 0 or more %s since the trace's start"
              .formatted(
                  wholeTimestamp ? Long.toString(timestampWhole) : Double.toString(timestampReal),
                  seconds ? "seconds" : "milliseconds"));
    }
    return wholeTimestamp ? timestampWhole * unit : Math.round(nanos);
  }

  /** Reads SGLang's {@code GenerateReqInput}. */
  private void generateRequest(JsonToken value, TraceRequest request)
      throws MalformedLineException {
    if (value != JsonToken.START_OBJECT) {
      json.skip(value);
      return;
    }
    json.object((name, field) -> {
      if (name.equals("input_ids")) {
        json.tokens(name, field, blocks, request, "; " + SGLANG_REMEDY);
        hasIds = true;
      } else {
        json.skip(field);
      }
    });
  }

  private void type(JsonToken value, TraceRequest request) throws MalformedLineException {
    if (value == JsonToken.VALUE_STRING && !hasWorkload) {
      request.workload = json.text("type", value);
    } else {
      json.skip(value);
    }
  }
}
