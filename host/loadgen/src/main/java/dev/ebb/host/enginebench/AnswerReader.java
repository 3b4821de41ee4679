package dev.ebb.host.enginebench;

import static dev.ebb.host.enginebench.AnswerReader.StreamedAnswer.UNKNOWN;
import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.enginebench.EngineException.Kind;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.openai.CompletionAnswer;
import dev.ebb.host.openai.CompletionAnswer.Choice;
import dev.ebb.host.openai.CompletionAnswer.Delta;
import dev.ebb.host.openai.CompletionAnswer.Usage;
import dev.ebb.host.openai.OpenAiJson;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
  private final Runnable begun;
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

  /** Creates a reader that calls {@code begun} when the first text arrives. */
  AnswerReader(long sentNanos, Runnable begun) {
    this.sentNanos = sentNanos;
    this.begun = begun;
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
    CompletionAnswer part = parse(data);
    JsonNode error = part.error();
    if (error != null && !error.isNull()) {
      throw new EngineException(
          Kind.REPORTED,
          "reported an error in the stream: " + messageOf(JSON.readTree(data), data));
    }
    if (part.choices() != null && !part.choices().isEmpty()) {
      choice(part.choices().getFirst());
    }
    // llama.cpp has its own field; those without the standard one report it there.
    if (part.timings() != null) {
      cachedTokens = count(part.timings().cacheN(), cachedTokens);
    }
    if (part.usage() != null) {
      usage(part.usage());
    }
  }

  private static CompletionAnswer parse(String data) {
    try {
      return OpenAiJson.answer(data, CompletionAnswer.class);
    } catch (JacksonException other) {
      throw new EngineException(
          Kind.MALFORMED,
          "sent '%s', which is not an event of OpenAI's API".formatted(UntrustedText.line(data)));
    }
  }

  /** Returns the message of an error document, or its text. */
  static String messageOf(JsonNode document, String text) {
    JsonNode error = document.path("error");
    return Stream.of(
            error.path("message"), error, document.path("message"), document.path("detail"))
        .filter(place -> place.isString() && !place.stringValue().isBlank())
        .findFirst()
        .map(place -> UntrustedText.line(place.stringValue()))
        .orElseGet(() -> UntrustedText.line(text));
  }

  private void choice(Choice choice) {
    Delta delta = requireNonNullElse(choice.delta(), Delta.of(null, null));
    Stream.of(choice.text(), delta.reasoningContent(), delta.reasoning(), delta.content())
        .filter(part -> part != null && !part.isEmpty())
        .findFirst()
        .ifPresent(part -> {
          text.append(part);
          eventsOfPiece++;
        });
    finished |= choice.finishReason() != null;
  }

  private void usage(Usage usage) {
    promptTokens = count(usage.promptTokens(), promptTokens);
    completionTokens = count(usage.completionTokens(), completionTokens);
    if (usage.promptTokensDetails() != null) {
      cachedTokens = count(usage.promptTokensDetails().cachedTokens(), cachedTokens);
    }
  }

  private static long count(@Nullable Long number, long otherwise) {
    return number != null && number >= 0 ? number : otherwise;
  }

  /** Notes when the events read since the last call arrived. */
  void arrived(long nanos) {
    if (eventsOfPiece > 0) {
      if (events == 0) {
        firstNanos = nanos;
        begun.run();
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

  /**
   * A complete answer.
   *
   * @param promptTokens as the server counts them; {@link #UNKNOWN} if it does not report them
   * @param cachedTokens of these, tokens whose K and V were in the cache; or {@link #UNKNOWN}
   * @param completionTokens generated tokens; or {@link #UNKNOWN}
   * @param events events with text, about one for each token
   * @param firstNanos from sending the request to the first text
   * @param lastNanos from sending the request to the last text
   */
  record StreamedAnswer(
      String text,
      long promptTokens,
      long cachedTokens,
      long completionTokens,
      long events,
      long firstNanos,
      long lastNanos) {

    static final long UNKNOWN = -1;

    /** Returns the number of generated tokens, or what comes near it. */
    long tokens() {
      return completionTokens == UNKNOWN ? events : completionTokens;
    }
  }
}
