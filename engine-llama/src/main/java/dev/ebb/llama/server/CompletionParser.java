package dev.ebb.llama.server;

import dev.ebb.host.http.HttpException;
import dev.ebb.llama.binding.ChatMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the body of a request. Properties that would change the answer, and that this server does
 * not support, are refused unless they have their default. Other unknown properties are ignored, as
 * clients expect.
 */
final class CompletionParser {

  private static final int MOST_STOPS = 16;
  private static final float HIGHEST_TEMPERATURE = 100;
  private static final double MOST_SECONDS = 365 * 86_400;

  /** Unsupported properties, with the values that change nothing. */
  private static final Map<String, Set<String>> UNSUPPORTED =
      Map.ofEntries(
          Map.entry("n", Set.of("1")),
          Map.entry("best_of", Set.of("1")),
          Map.entry("echo", Set.of("false")),
          Map.entry("suffix", Set.of("")),
          Map.entry("logprobs", Set.of("false")),
          Map.entry("top_logprobs", Set.of("0")),
          Map.entry("logit_bias", Set.of("{}")),
          Map.entry("presence_penalty", Set.of("0", "0.0")),
          Map.entry("frequency_penalty", Set.of("0", "0.0")),
          Map.entry("tools", Set.of("[]")),
          Map.entry("functions", Set.of("[]")),
          Map.entry("response_format", Set.of("{\"type\":\"text\"}")));

  private final JsonNode body;

  CompletionParser(JsonNode body) {
    this.body = body;
    if (!body.isObject()) {
      throw HttpException.bad("the body must be a JSON object");
    }
    UNSUPPORTED.forEach((name, neutral) -> {
      JsonNode value = value(name);
      if (value != null
          && !neutral.contains(value.isString() ? value.stringValue() : value.toString())) {
        throw HttpException.bad(
            "%s = '%s' is not supported; leave it out".formatted(name, shown(value)));
      }
    });
  }

  private @Nullable JsonNode value(String name) {
    return body.hasNonNull(name) ? body.get(name) : null;
  }

  /** Returns the name of the model; null if there is none. */
  @Nullable String model() {
    return text("model");
  }

  /** Returns whether the answer is sent as a stream of events. */
  boolean stream() {
    return flag(body, "stream");
  }

  /** Returns whether the stream ends with the usage. */
  boolean usage() {
    JsonNode options = value("stream_options");
    return options != null && flag(options, "include_usage");
  }

  /**
   * Returns the prompt of a completion as text.
   *
   * @return null if it consists of tokens
   */
  @Nullable String prompt() {
    JsonNode prompt = single();
    return prompt.isString() ? prompt.stringValue() : null;
  }

  /** Returns the prompt of a completion as tokens. */
  int[] promptTokens(int vocabulary) {
    JsonNode prompt = single();
    int[] tokens = new int[prompt.size()];
    for (int i = 0; i < tokens.length; i++) {
      JsonNode token = prompt.get(i);
      if (!token.isIntegralNumber()
          || !token.canConvertToInt()
          || token.intValue() < 0
          || token.intValue() >= vocabulary) {
        throw HttpException.bad(
            "prompt: token '%s' must be a whole number from 0 to %d"
                .formatted(shown(token), vocabulary - 1));
      }
      tokens[i] = token.intValue();
    }
    return tokens;
  }

  private JsonNode single() {
    JsonNode prompt = value("prompt");
    if (prompt == null) {
      throw HttpException.bad("the property 'prompt' is missing");
    }
    if (prompt.isArray() && prompt.size() == 1 && !prompt.get(0).isNumber()) {
      prompt = prompt.get(0);
    }
    boolean tokens = prompt.isArray() && (prompt.isEmpty() || prompt.get(0).isNumber());
    if (!prompt.isString() && !tokens) {
      throw HttpException.bad(
          "prompt must be one text or one list of tokens; send a request for each prompt");
    }
    return prompt;
  }

  /** Returns the messages of a chat. */
  List<ChatMessage> messages() {
    JsonNode messages = value("messages");
    if (messages == null || !messages.isArray() || messages.isEmpty()) {
      throw HttpException.bad("messages must be a list of at least one message");
    }
    List<ChatMessage> read = new ArrayList<>();
    for (JsonNode message : messages) {
      JsonNode role = message.get("role");
      if (role == null || !role.isString()) {
        throw HttpException.bad("a message needs a 'role', such as 'user'");
      }
      read.add(message(role.stringValue(), content(message.get("content"))));
    }
    return read;
  }

  private static ChatMessage message(String role, String content) {
    try {
      return new ChatMessage(role, content);
    } catch (IllegalArgumentException wrong) {
      throw HttpException.bad(String.valueOf(wrong.getMessage()));
    }
  }

  /** Reads a text, or a list of parts with text. */
  private static String content(@Nullable JsonNode content) {
    if (content == null || content.isNull()) {
      return "";
    } else if (content.isString()) {
      return content.stringValue();
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      JsonNode piece = part.get("text");
      if (piece == null || !piece.isString()) {
        throw HttpException.bad(
            "a part of the message is not a text; this server supports text only");
      }
      text.append(piece.stringValue());
    }
    return text.toString();
  }

  /**
   * Reads the other options.
   *
   * @param usualTokens the length of the answer if the client names none
   */
  CompletionOptions options(int usualTokens) {
    String limit =
        body.hasNonNull("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
    double topP = number("top_p", 0, 1, 1);
    if (topP == 0) {
      throw HttpException.bad("top_p = '0' must be above 0; use temperature 0 instead");
    }
    return new CompletionOptions(
        integer(limit, 1, Integer.MAX_VALUE, usualTokens),
        (float) number("temperature", 0, HIGHEST_TEMPERATURE, 1),
        (float) topP,
        Math.max(0, integer("top_k", -1, Integer.MAX_VALUE, 0)),
        seed(),
        stops(),
        flag(body, "ignore_eos"),
        returnTokenIds(),
        integer("hint", 0, Integer.MAX_VALUE, 0),
        returnAfter(),
        integer("priority", Integer.MIN_VALUE, Integer.MAX_VALUE, 1),
        text("user"));
  }

  private @Nullable Duration returnAfter() {
    return value("return_after_s") == null
        ? null
        : Duration.ofMillis(Math.round(1_000 * number("return_after_s", 0, MOST_SECONDS, 0)));
  }

  private boolean returnTokenIds() {
    boolean wanted = flag(body, "return_token_ids");
    if (wanted && stream()) {
      throw HttpException.bad(
          "return_token_ids = 'true' is not supported in a stream; set stream to false");
    }
    return wanted;
  }

  private int seed() {
    JsonNode seed = value("seed");
    if (seed == null) {
      return ThreadLocalRandom.current().nextInt();
    }
    if (!seed.isIntegralNumber() || !seed.canConvertToLong()) {
      throw HttpException.bad("seed = '%s' must be a whole number".formatted(shown(seed)));
    }
    return Long.hashCode(seed.longValue());
  }

  private List<String> stops() {
    JsonNode stop = value("stop");
    if (stop == null) {
      return List.of();
    }
    List<String> stops = new ArrayList<>();
    for (JsonNode each : stop.isArray() ? stop : List.of(stop)) {
      if (!each.isString() || each.stringValue().isEmpty()) {
        throw HttpException.bad(
            "stop = '%s' must be a text that is not empty".formatted(shown(each)));
      }
      stops.add(each.stringValue());
    }
    if (stops.size() > MOST_STOPS) {
      throw HttpException.bad(
          "stop has '%d' texts, but at most %d are allowed".formatted(stops.size(), MOST_STOPS));
    }
    return stops;
  }

  private @Nullable String text(String name) {
    JsonNode value = value(name);
    if (value != null && !value.isString()) {
      throw HttpException.bad("%s = '%s' must be a text".formatted(name, shown(value)));
    }
    return value == null ? null : value.stringValue();
  }

  private static boolean flag(JsonNode object, String name) {
    JsonNode value = object.hasNonNull(name) ? object.get(name) : null;
    if (value != null && !value.isBoolean()) {
      throw HttpException.bad("%s = '%s' must be true or false".formatted(name, shown(value)));
    }
    return value != null && value.booleanValue();
  }

  private int integer(String name, int least, int most, int otherwise) {
    JsonNode value = value(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToInt()
        || value.intValue() < least
        || value.intValue() > most) {
      throw HttpException.bad(
          "%s = '%s' must be a whole number from %d to %d"
              .formatted(name, shown(value), least, most));
    }
    return value.intValue();
  }

  private double number(String name, double least, double most, double otherwise) {
    JsonNode value = value(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isNumber() || !(value.doubleValue() >= least && value.doubleValue() <= most)) {
      throw HttpException.bad(
          "%s = '%s' must be a number from %.0f to %.0f"
              .formatted(name, shown(value), least, most));
    }
    return value.doubleValue();
  }

  private static String shown(JsonNode value) {
    String text = value.isString() ? value.stringValue() : value.toString();
    return text.substring(0, Math.min(80, text.length()));
  }
}
