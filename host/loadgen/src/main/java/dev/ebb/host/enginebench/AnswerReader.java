package dev.ebb.host.enginebench;

import static dev.ebb.host.enginebench.StreamedAnswer.UNKNOWN;

import dev.ebb.host.enginebench.EngineException.Kind;
import dev.ebb.host.errors.UntrustedText;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the events of one streamed answer, of either API. Text that arrives together shares the
 * time since the text before it.
 */
final class AnswerReader {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String END = "[DONE]";

  private final long sentNanos;
  private final LongArrayList intervals = new LongArrayList();
  private final StringBuilder text = new StringBuilder();
  private long promptTokens = UNKNOWN;
  private long cachedTokens = UNKNOWN;
  private long completionTokens = UNKNOWN;
  private long events;
  private long eventsOfPiece;
  private long firstNanos;
  private long lastNanos;
  private boolean finished;
  private boolean ended;

  AnswerReader(long sentNanos) {
    this.sentNanos = sentNanos;
  }

  /** Reads the data of one event. */
  void event(String data) {
    if (ended) {
      return;
    }
    if (data.strip().equals(END)) {
      ended = true;
      return;
    }
    JsonNode document = parse(data);
    JsonNode error = document.path("error");
    if (!error.isMissingNode() && !error.isNull()) {
      throw new EngineException(
          Kind.REPORTED, "reported an error in the stream: " + messageOf(document, data));
    }
    choices(document);
    usage(document);
  }

  private static JsonNode parse(String data) {
    try {
      JsonNode document = JSON.readTree(data);
      if (document.isObject()) {
        return document;
      }
    } catch (JacksonException notJson) {
      // Reported below, like other JSON than an object.
    }
    throw new EngineException(
        Kind.MALFORMED,
        "sent '%s', which is not an event of OpenAI's API".formatted(UntrustedText.line(data)));
  }

  /** Returns the message of an error document, or its text. */
  static String messageOf(JsonNode document, String text) {
    JsonNode error = document.path("error");
    for (JsonNode place :
        new JsonNode[] {
          error.path("message"), error, document.path("message"), document.path("detail")
        }) {
      if (place.isString() && !place.asString().isBlank()) {
        return UntrustedText.line(place.asString());
      }
    }
    return UntrustedText.line(text);
  }

  private void choices(JsonNode document) {
    JsonNode choice = document.path("choices").path(0);
    JsonNode delta = choice.path("delta");
    for (JsonNode part :
        new JsonNode[] {
          choice.path("text"),
          delta.path("reasoning_content"),
          delta.path("reasoning"),
          delta.path("content")
        }) {
      if (part.isString() && !part.asString().isEmpty()) {
        text.append(part.asString());
        eventsOfPiece++;
        break;
      }
    }
    finished |= choice.path("finish_reason").isString();
  }

  private void usage(JsonNode document) {
    JsonNode usage = document.path("usage");
    promptTokens = count(usage.path("prompt_tokens"), promptTokens);
    completionTokens = count(usage.path("completion_tokens"), completionTokens);
    // llama.cpp has its own field; those without the standard one report it there.
    cachedTokens = count(document.path("timings").path("cache_n"), cachedTokens);
    cachedTokens = count(usage.path("prompt_tokens_details").path("cached_tokens"), cachedTokens);
  }

  private static long count(JsonNode number, long otherwise) {
    return number.isNumber() && number.asLong() >= 0 ? number.asLong() : otherwise;
  }

  /** Notes when the events read since the last call arrived. */
  void arrived(long nanos) {
    if (eventsOfPiece > 0) {
      if (events == 0) {
        firstNanos = nanos;
      } else {
        for (long i = 0; i < eventsOfPiece; i++) {
          intervals.add((nanos - lastNanos) / eventsOfPiece);
        }
      }
      events += eventsOfPiece;
      eventsOfPiece = 0;
      lastNanos = nanos;
    } else if (events == 0 && finished && firstNanos == 0) {
      firstNanos = nanos;
      lastNanos = nanos;
    }
  }

  /** Returns whether the server has announced the end of the stream. */
  boolean ended() {
    return ended;
  }

  long events() {
    return events;
  }

  /** Returns the times between tokens, in nanoseconds. */
  LongArrayList intervals() {
    return intervals;
  }

  /**
   * Returns the answer, at the end of the stream.
   *
   * @throws EngineException if it is not complete
   */
  StreamedAnswer answer(long endNanos) {
    if (!ended && !finished) {
      throw new EngineException(Kind.INCOMPLETE, "ended the stream before the answer was complete");
    }
    long first = firstNanos == 0 ? endNanos : firstNanos;
    long last = lastNanos == 0 ? endNanos : lastNanos;
    return new StreamedAnswer(
        text.toString(),
        promptTokens,
        cachedTokens,
        completionTokens,
        events,
        first - sentNanos,
        last - sentNanos);
  }
}
