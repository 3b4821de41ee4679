package dev.ebb.host.hint;

import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.Retention;
import dev.ebb.host.cache.index.Retention.Range;
import dev.ebb.host.errors.UserError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What an envelope says about one request. Each action is read on its own: a wrong one is refused,
 * and one of an unknown type or version is ignored. The types are those of vLLM ({@code kv.retain},
 * {@code vllm.set_priority}), SGLang ({@code kv.demote}, {@code kv.prefetch}, {@code kv.deref}) and
 * Dynamo ({@code kv.fetch}), and Ebb's own signals of sessions.
 */
public final class RequestHints {

  /** The longest duration that vLLM accepts: 30 days. */
  private static final double LONGEST_SECONDS = TimeUnit.DAYS.toSeconds(30);

  private static final int MOST_DIRECTIVES = 128;
  private static final double NANOS = 1e9;

  private final Target target;
  private final List<HintResult> results = new ArrayList<>();
  private final List<Range> ranges = new ArrayList<>();
  private @Nullable String scope;
  private @Nullable String session;
  private long returnNanos = -1;
  private boolean fetch;

  /**
   * The request that an envelope is about.
   *
   * @param elsewhere whether its chunks can be read from a disk or from other nodes
   * @param maxNanos the longest duration of a retention; a longer one is shortened
   */
  public record Target(
      int chunks, int chunkTokens, boolean elsewhere, boolean nodes, long maxNanos) {}

  private RequestHints(Target target) {
    this.target = target;
  }

  /** Reads the actions of an envelope. */
  public static RequestHints of(HintEnvelope envelope, Target target) {
    RequestHints hints = new RequestHints(target);
    boolean known = major(envelope.protocolVersion()) <= 1;
    for (JsonNode action : envelope.actions()) {
      hints.read(action, known ? "" : "protocol_version '" + envelope.protocolVersion() + "'");
    }
    return hints;
  }

  private void read(JsonNode action, String unknown) {
    String id = text(action, "action_id");
    String type = text(action, "action_type");
    HintResult result;
    try {
      HintEnvelope.id(action, "action_id");
      HintEnvelope.id(action, "action_type");
      String version = HintEnvelope.id(action, "action_version");
      JsonNode payload = action.path("payload");
      if (!payload.isObject()) {
        throw wrong("payload", payload, "an object");
      }
      String ignored =
          !unknown.isEmpty()
              ? unknown + " is not known"
              : major(version) == 1
                  ? apply(type, payload)
                  : "action_version '%s' is not known, only 1".formatted(version);
      result =
          ignored.isEmpty()
              ? new HintResult(id, type, HintOutcome.APPLIED, "")
              : new HintResult(id, type, HintOutcome.IGNORED, ignored);
    } catch (UserError wrong) {
      result = new HintResult(id, type, HintOutcome.REFUSED, String.valueOf(wrong.getMessage()));
    }
    results.add(result);
  }

  private static String text(JsonNode action, String field) {
    JsonNode value = action.path(field);
    return value.isString() ? HintEnvelope.shown(value) : "";
  }

  /** Returns the first number of a version; a large one if it is none. */
  private static int major(String version) {
    String first = version.split("\\.", 2)[0];
    return first.matches("[0-9]{1,4}") ? Integer.parseInt(first) : Integer.MAX_VALUE;
  }

  /** Applies an action, and returns why it is ignored; empty if it is not. */
  private String apply(String type, JsonNode payload) {
    switch (type) {
      case "kv.retain" -> retain(payload);
      case "vllm.set_priority" -> setPriority(payload);
      case "kv.demote" -> {
        ofItsSession(payload);
        demote();
      }
      case "kv.fetch", "kv.prefetch" -> {
        fetch = target.elsewhere;
        return fetch
            ? ""
            : "there is no disk tier and no other node, or another request has begun since";
      }
      case "kv.share" -> {
        // The nodes of a cluster read each other's chunks anyway.
        return target.nodes ? "" : "there is no other node";
      }
      case "session.start" -> session = HintEnvelope.id(payload, "session_id");
      case "session.pause" -> {
        ofItsSession(payload);
        returnNanos = nanos(payload, "return_after");
      }
      case "session.end", "kv.deref" -> {
        ofItsSession(payload);
        demote();
      }
      default -> {
        return "action_type is not known";
      }
    }
    return "";
  }

  /** Checks the session that an action names, and remembers it. */
  private void ofItsSession(JsonNode payload) {
    if (!payload.path("session_id").isMissingNode()) {
      String named = HintEnvelope.id(payload, "session_id");
      if (session != null && !session.equals(named)) {
        throw new UserError(
            "session_id '%s' is not that of the request, '%s'".formatted(named, session));
      }
      session = named;
    }
  }

  private void demote() {
    claim(session);
    ranges.add(new Range(0, Integer.MAX_VALUE, Retention.DEMOTED, Retention.FOREVER));
  }

  private void retain(JsonNode payload) {
    JsonNode directives = payload.path("directives");
    if (!directives.isArray() || ranges.size() + directives.size() > MOST_DIRECTIVES) {
      throw wrong("directives", directives, "a list; an envelope has at most " + MOST_DIRECTIVES);
    }
    List<Range> stated = new ArrayList<>();
    directives.forEach(directive -> stated.add(directive(directive)));
    List<Range> all = new ArrayList<>(ranges);
    all.addAll(stated);
    all.sort(Comparator.comparingInt(Range::from));
    for (int i = 1; i < all.size(); i++) {
      if (all.get(i).strength() > all.get(i - 1).strength()) {
        throw new UserError(
            "priority '%d' follows '%d': it must not rise along the prompt, because a chunk is only usable behind all chunks before it"
                .formatted(all.get(i).strength(), all.get(i - 1).strength()));
      }
    }
    JsonNode named = payload.path("scope");
    claim(named.isMissingNode() || named.isNull() ? null : HintEnvelope.id(payload, "scope"));
    ranges.addAll(stated);
  }

  private void claim(@Nullable String named) {
    if (scope != null && named != null && !scope.equals(named)) {
      throw new UserError(
          "scope '%s' is not that of the actions before, '%s'".formatted(named, scope));
    }
    scope = named == null ? scope : named;
  }

  private Range directive(JsonNode directive) {
    if (!directive.isObject()) {
      throw wrong("directive", directive, "an object");
    }
    for (String field : directive.propertyNames()) {
      if (!List.of("start", "end", "priority", "duration", "covers_output").contains(field)) {
        throw new UserError(
            "the field '%s' of a directive is not known; allowed: start, end, priority, duration, covers_output"
                .formatted(field));
      }
    }
    boolean output = false;
    if (directive.has("covers_output")) {
      if (!directive.get("covers_output").isBoolean()) {
        throw wrong("covers_output", directive.get("covers_output"), "true or false");
      }
      output = directive.get("covers_output").booleanValue();
    }
    if (output && (directive.has("start") || directive.has("end"))) {
      throw new UserError("covers_output 'true' cannot be combined with start or end");
    }
    long start = number(directive, "start", 0, 0, Integer.MAX_VALUE);
    long end = number(directive, "end", Long.MAX_VALUE, start + 1, Integer.MAX_VALUE);
    return new Range(
        output ? target.chunks : (int) (start / target.chunkTokens),
        (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(end, target.chunkTokens)),
        (int) number(directive, "priority", -1, 0, Retention.STRONGEST),
        duration(directive, "duration"));
  }

  /** All chunks of the request, as vLLM defines {@code target = request_cached}. */
  private void setPriority(JsonNode payload) {
    JsonNode aim = payload.path("target");
    if (!aim.isString() || !aim.stringValue().equals("request_cached")) {
      throw wrong("target", aim, "request_cached");
    }
    String claim = HintEnvelope.id(payload, "claim_id");
    boolean cleared = payload.path("value").isNull();
    int strength =
        cleared ? Retention.NONE : (int) number(payload, "value", -1, 0, Retention.STRONGEST);
    long nanos = duration(payload, "ttl_seconds");
    claim(claim);
    ranges.add(new Range(0, Integer.MAX_VALUE, strength, nanos));
  }

  private long duration(JsonNode of, String field) {
    JsonNode value = of.path(field);
    return Math.min(
        target.maxNanos,
        value.isMissingNode() || value.isNull() ? Retention.FOREVER : nanos(of, field));
  }

  private static long nanos(JsonNode of, String field) {
    JsonNode value = of.path(field);
    double seconds = value.isNumber() ? value.doubleValue() : -1;
    if (!(seconds >= 0 && seconds <= LONGEST_SECONDS)) {
      throw wrong(field, value, "a number of seconds from 0 to %.0f".formatted(LONGEST_SECONDS));
    }
    return Math.round(seconds * NANOS);
  }

  /**
   * Returns a whole number.
   *
   * @param otherwise the one if the field is missing or null; -1 if it must not be
   */
  private static long number(JsonNode of, String field, long otherwise, long least, long most) {
    JsonNode value = of.path(field);
    if (otherwise >= 0 && (value.isMissingNode() || value.isNull())) {
      return otherwise;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.longValue() < least
        || value.longValue() > most) {
      throw wrong(field, value, "a whole number from %d to %d".formatted(least, most));
    }
    return value.longValue();
  }

  private static UserError wrong(String field, JsonNode value, String allowed) {
    return new UserError("%s '%s' must be %s".formatted(field, HintEnvelope.shown(value), allowed));
  }

  /** Returns what became of each action, in their order. */
  public List<HintResult> results() {
    return List.copyOf(results);
  }

  /**
   * Returns how strongly the request's chunks are to be kept, from a time on; null if no action
   * says so.
   */
  public @Nullable Retention retention(long nanos) {
    return ranges.isEmpty() ? null : new Retention(scope == null ? "" : scope, nanos, ranges);
  }

  /** Returns after how many nanoseconds the session's next request is stated to come; or -1. */
  long returnNanos() {
    return returnNanos;
  }

  /** Returns how many leading chunks of the prompt are to be kept. */
  public int retainedChunks() {
    int chunks = 0;
    for (Range range : ranges) {
      if (range.strength() > Retention.NONE) {
        chunks = Math.max(chunks, Math.min(range.to(), target.chunks));
      }
    }
    return chunks;
  }

  public long retainedTokens() {
    long chunks = 0;
    int counted = 0;
    for (Range range : ranges.stream().sorted(Comparator.comparingInt(Range::from)).toList()) {
      int to = Math.min(range.to(), target.chunks);
      if (range.strength() > Retention.NONE && to > counted) {
        chunks += to - Math.max(counted, range.from());
        counted = to;
      }
    }
    return chunks * target.chunkTokens;
  }

  /**
   * Returns the attributes of the request with what is said about it.
   *
   * @param nanos the time from which durations count, by the cache's clock
   */
  public RequestFacts addTo(RequestFacts facts, long nanos) {
    RequestFacts hinted = facts.ended(0, new RequestEnd(null, null, returnNanos, retention(nanos)));
    return session == null ? hinted : hinted.ofSequence(id(facts.tenant() + "\0" + session));
  }

  /** Returns a number for a name, the same each time. */
  private static long id(String name) {
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits()
        & Long.MAX_VALUE;
  }

  /** Returns whether the request's chunks are to be read into memory. */
  public boolean fetches() {
    return fetch;
  }

  /** Refuses what the actions retain, because it exceeds a limit. */
  void refuseRetention(String reason) {
    ranges.removeIf(range -> range.strength() > Retention.NONE);
    results.replaceAll(result ->
        result.outcome() == HintOutcome.APPLIED && retains(result.type())
            ? new HintResult(result.action(), result.type(), HintOutcome.REFUSED, reason)
            : result);
  }

  static boolean retains(String type) {
    return type.equals("kv.retain") || type.equals("vllm.set_priority");
  }
}
