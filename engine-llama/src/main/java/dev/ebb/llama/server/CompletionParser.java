package dev.ebb.llama.server;

import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.http.HttpException;
import dev.ebb.llama.binding.SamplerOptions;
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
  private static final int MOST_ANSWERS = 128;
  private static final int MOST_LOGPROBS = 20;
  private static final float HIGHEST_TEMPERATURE = 100;
  private static final double MOST_SECONDS = 365 * 86_400;

  /** Unsupported properties, with the values that change nothing. */
  private static final Map<String, Set<String>> UNSUPPORTED =
      Map.ofEntries(
          Map.entry("best_of", Set.of("1")),
          Map.entry("echo", Set.of("false")),
          Map.entry("suffix", Set.of("")),
          Map.entry("logit_bias", Set.of("{}")),
          Map.entry("functions", Set.of("[]")));

  private final JsonNode body;
  private final PriorityScale priorities;
  private final boolean stream;
  private final boolean usage;

  CompletionParser(JsonNode body, PriorityScale priorities) {
    this.body = body;
    this.priorities = priorities;
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
    stream = flag(body, "stream");
    JsonNode options = value("stream_options");
    if (options != null && !options.isObject()) {
      throw HttpException.bad("stream_options = '%s' must be an object".formatted(shown(options)));
    }
    usage = options != null && flag(options, "include_usage");
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
    return stream;
  }

  /** Returns whether the stream ends with the usage. */
  boolean usage() {
    return usage;
  }

  /** Returns how many answers each prompt gets. */
  int answers() {
    return integer("n", 1, MOST_ANSWERS, 1);
  }

  /**
   * Returns the prompts of a completion: text, or an array of tokens.
   *
   * @param vocabulary the number of tokens
   */
  List<JsonNode> prompts(int vocabulary) {
    JsonNode prompt = value("prompt");
    if (prompt == null) {
      throw HttpException.bad("the property 'prompt' is missing");
    }
    boolean several = prompt.isArray() && !prompt.isEmpty() && !prompt.get(0).isNumber();
    List<JsonNode> prompts = new ArrayList<>();
    (several ? prompt : List.of(prompt)).forEach(prompts::add);
    if ((long) prompts.size() * answers() > MOST_ANSWERS) {
      throw HttpException.bad(
          "'%d' prompts with n = '%d' have more than %d answers; send several requests"
              .formatted(prompts.size(), answers(), MOST_ANSWERS));
    }
    for (JsonNode each : prompts) {
      if (each.isArray()) {
        each.forEach(token -> checkToken(token, vocabulary));
      } else if (!each.isString()) {
        throw HttpException.bad(
            "prompt = '%s' must be a text, a list of tokens, or a list of these"
                .formatted(shown(each)));
      }
    }
    return prompts;
  }

  private static void checkToken(JsonNode token, int vocabulary) {
    if (!token.isIntegralNumber()
        || !token.canConvertToInt()
        || token.intValue() < 0
        || token.intValue() >= vocabulary) {
      throw HttpException.bad(
          "prompt: token '%s' must be a whole number from 0 to %d"
              .formatted(shown(token), vocabulary - 1));
    }
  }

  static int[] tokens(JsonNode prompt) {
    return prompt.valueStream().mapToInt(JsonNode::intValue).toArray();
  }

  /** Returns the request's body, for properties that are objects. */
  JsonNode body() {
    return body;
  }

  /**
   * Reads the other options.
   *
   * @param owner the tenant of the client's API key; empty if there is none
   * @param usualTokens the length of the answer if the client names none
   * @param format what the answer must look like
   */
  CompletionOptions options(String owner, int usualTokens, OutputFormat format) {
    String limit =
        body.hasNonNull("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
    double topP = number("top_p", 0, 1, 1);
    if (topP == 0) {
      throw HttpException.bad("top_p = '0' must be above 0; use temperature 0 instead");
    }
    return new CompletionOptions(
        integer(limit, 1, Integer.MAX_VALUE, usualTokens),
        new SamplerOptions(
            (float) number("temperature", 0, HIGHEST_TEMPERATURE, 1),
            Math.max(0, integer("top_k", -1, Integer.MAX_VALUE, 0)),
            (float) topP,
            seed(),
            (float) number("presence_penalty", -2, 2, 0),
            (float) number("frequency_penalty", -2, 2, 0),
            (float) repetition(),
            format.grammar()),
        stops(),
        ignoreEnd(format),
        returnTokenIds(),
        logprobs(),
        integer("hint", 0, Integer.MAX_VALUE, 0),
        returnAfter(),
        priorities.of(
            integer("priority", Integer.MIN_VALUE, Integer.MAX_VALUE, priorities.normal())),
        Tenancy.tenant(owner, text("user")),
        format.tools());
  }

  /** Returns the salt of the prefix cache: only requests with the same one share prefixes. */
  @Nullable String salt() {
    String salt = text("cache_salt");
    if (salt != null && salt.isEmpty()) {
      throw HttpException.bad("cache_salt = '' must be a text that is not empty");
    }
    return salt;
  }

  private double repetition() {
    double penalty = number("repetition_penalty", 0, 2, 1);
    if (penalty == 0) {
      throw HttpException.bad("repetition_penalty = '0' must be above 0 and up to 2");
    }
    return penalty;
  }

  private boolean ignoreEnd(OutputFormat format) {
    boolean ignored = flag(body, "ignore_eos");
    if (ignored && format.grammar() != null) {
      throw HttpException.bad(
          "ignore_eos = 'true' does not go with a format of the answer; leave one of them out");
    }
    return ignored;
  }

  /** Reads how many likely tokens to report: a flag and a number in chats, or one number. */
  private int logprobs() {
    JsonNode wanted = value("logprobs");
    if (wanted == null || wanted.isBoolean()) {
      boolean on = wanted != null && wanted.booleanValue();
      int top = integer("top_logprobs", 0, MOST_LOGPROBS, 0);
      if (!on && top > 0) {
        throw HttpException.bad("top_logprobs = '%d' needs logprobs = true; add it".formatted(top));
      }
      return on ? top : -1;
    }
    return integer("logprobs", 0, MOST_LOGPROBS, 0);
  }

  private @Nullable Duration returnAfter() {
    return value("return_after_s") == null
        ? null
        : Duration.ofMillis(Math.round(1_000 * number("return_after_s", 0, MOST_SECONDS, 0)));
  }

  private boolean returnTokenIds() {
    boolean wanted = flag(body, "return_token_ids");
    if (wanted && stream) {
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

  static boolean flag(JsonNode object, String name) {
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

  static String shown(JsonNode value) {
    String text = value.isString() ? value.stringValue() : value.toString();
    return text.substring(0, Math.min(80, text.length()));
  }
}
