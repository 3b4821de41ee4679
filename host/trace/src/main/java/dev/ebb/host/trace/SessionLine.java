package dev.ebb.host.trace;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;

/**
 * Reads a line that holds all requests of a session:
 *
 * <ul>
 *   <li>WEKA's traces of coding agents: {@code requests} with {@code t} in seconds, {@code in},
 *       {@code out}, {@code hash_ids}, and {@code subagent} markers with requests of their own. See
 *       <a
 *       href="https://github.com/ai-dynamo/aiperf/blob/main/docs/tutorials/weka-trace.md">AIPerf</a>.
 *   <li>Rollouts of NeMo Gym: {@code response.output}, whose items have {@code prompt_token_ids}
 *       and {@code generation_token_ids}. They have no times. All rollouts count as running at the
 *       same time, with a turn each second.
 * </ul>
 */
final class SessionLine {

  private static final long SECOND = 1_000_000_000;

  private final JsonLine json;
  private final TokenBlocks blocks;
  private final TraceRequest request = new TraceRequest();
  private final List<Subagent> subagents = new ArrayList<>();
  private @Nullable RequestColumns requests;
  private boolean local;
  private long session;
  private long lines;

  /** A range of requests that another agent sent, and when it was started. */
  private record Subagent(int from, int to, long startNanos, long session) {}

  /** The fields of a request or marker that are read before their meaning is known. */
  private static final class Marker {
    boolean subagent;
    long nanos = -1;
    long agent;
    @Nullable String kind;
  }

  SessionLine(JsonLine json, TokenBlocks blocks) {
    this.json = json;
    this.blocks = blocks;
  }

  void clear() {
    requests = null;
    subagents.clear();
    local = false;
    session = Hash64.mix(++lines);
  }

  /** Returns whether the line has requests of a session. */
  boolean isSession() {
    return requests != null;
  }

  /** Names the session, so that those of other lines have other ids. */
  void id(long id) {
    session = Hash64.mix(id);
  }

  /** Sets what an equal block id of another session means. */
  void scope(String scope) throws MalformedLineException {
    local = scope.equals("local");
    if (!local && !scope.equals("global")) {
      throw new MalformedLineException(
          "hash_id_scope is '%s', must be local or global".formatted(scope));
    }
  }

  /** Reads WEKA's {@code requests}. */
  void requests(JsonToken value) throws MalformedLineException {
    if (value != JsonToken.START_ARRAY) {
      throw json.wrong("requests", "must be a list of requests");
    }
    RequestColumns read = new RequestColumns();
    entries(read);
    requests = read;
  }

  private void entries(RequestColumns to) throws MalformedLineException {
    for (JsonToken each = json.token(); each != JsonToken.END_ARRAY; each = json.token()) {
      if (each != JsonToken.START_OBJECT) {
        throw json.wrong("an element of requests", "must be an object");
      }
      entry(to);
    }
  }

  private void entry(RequestColumns to) throws MalformedLineException {
    int from = to.requests();
    Marker marker = new Marker();
    request.clear();
    request.inputTokens = TraceRequest.UNKNOWN;
    json.object((field, value) -> field(field, value, marker, to));
    if (marker.nanos < 0) {
      throw new MalformedLineException("t is missing in a request of the session");
    }
    if (marker.subagent) {
      label(to, from, marker.kind);
      subagents.add(
          new Subagent(
              from, to.requests(), marker.nanos, Hash64.mix(marker.agent + subagents.size() + 1)));
      return;
    }
    if (request.inputTokens < 0) {
      throw new MalformedLineException("in is missing in a request of the session");
    }
    request.timestampNanos = marker.nanos;
    to.add("session", request);
  }

  private void field(String field, JsonToken value, Marker marker, RequestColumns to)
      throws MalformedLineException {
    switch (field) {
      case "t" -> marker.nanos = Math.round(json.amount(field, value) * SECOND);
      case "type" -> marker.subagent = json.text(field, value).equals("subagent");
      case "agent_id" -> marker.agent = json.id(field, value);
      case "subagent_type" -> marker.kind = json.text(field, value);
      case "in" -> request.inputTokens = json.length(field, value);
      case "out" -> request.outputTokens = json.length(field, value);
      case "model" -> request.model = json.text(field, value);
      case "stop" -> request.finishReason = finishReason(json.text(field, value));
      case "hash_ids" -> json.ids(field, value, request);
      case "requests" -> {
        if (value != JsonToken.START_ARRAY) {
          throw json.wrong(field, "must be a list of requests");
        }
        entries(to);
      }
      default -> json.skip(value);
    }
  }

  /** Returns the name that OpenAI's API has for a stop reason of Anthropic's. */
  private static @Nullable String finishReason(String stop) {
    return switch (stop) {
      case "" -> null;
      case "tool_use" -> "tool_calls";
      case "end_turn", "stop_sequence" -> "stop";
      case "max_tokens" -> "length";
      default -> stop;
    };
  }

  private static void label(RequestColumns to, int from, @Nullable String kind) {
    for (int i = from; kind != null && i < to.requests(); i++) {
      to.label(i, kind);
    }
  }

  /** Reads NeMo Gym's {@code response}. */
  void response(JsonToken value) throws MalformedLineException {
    if (value != JsonToken.START_OBJECT) {
      json.skip(value);
      return;
    }
    json.object((field, part) -> {
      if (field.equals("output") && part == JsonToken.START_ARRAY) {
        items();
      } else {
        json.skip(part);
      }
    });
  }

  private void items() throws MalformedLineException {
    for (JsonToken each = json.token(); each != JsonToken.END_ARRAY; each = json.token()) {
      if (each == JsonToken.START_OBJECT) {
        item();
      } else {
        json.skip(each);
      }
    }
  }

  private void item() throws MalformedLineException {
    request.clear();
    request.inputTokens = TraceRequest.UNKNOWN;
    json.object((field, value) -> {
      switch (field) {
        case "prompt_token_ids" -> json.tokens(field, value, blocks, request, "");
        case "generation_token_ids" -> request.outputTokens = json.count(field, value);
        default -> json.skip(value);
      }
    });
    if (request.inputTokens >= 0) {
      requests = requests == null ? new RequestColumns() : requests;
      request.timestampNanos = requests.requests() * SECOND;
      requests.add("rollout", request);
    }
  }

  /** Returns the requests of the line by time. Call it if there are some. */
  ColumnsCursor finish() {
    RequestColumns read = Objects.requireNonNull(requests);
    Arrays.fill(read.sequenceIds, 0, read.requests(), session);
    boolean relative =
        subagents.stream()
            .anyMatch(each -> each.from < each.to && read.timestamps[each.from] < each.startNanos);
    // The innermost come first, so an outer one must not rename their requests.
    for (Subagent each : subagents) {
      for (int i = each.from; i < each.to; i++) {
        read.timestamps[i] += relative ? each.startNanos : 0;
        if (read.sequenceIds[i] == session) {
          read.sequenceIds[i] = session ^ each.session;
        }
      }
    }
    for (int i = 0; local && i < read.starts[read.requests()]; i++) {
      read.ids[i] = Hash64.mix(session + read.ids[i]);
    }
    number(read);
    return ColumnsCursor.byTime(read);
  }

  private static void number(RequestColumns read) {
    Long2IntOpenHashMap turns = new Long2IntOpenHashMap();
    for (int i = 0; i < read.requests(); i++) {
      read.turns[i] = 1 + turns.addTo(read.sequenceIds[i], 1);
    }
  }
}
