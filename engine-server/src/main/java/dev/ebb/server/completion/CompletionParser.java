package dev.ebb.server.completion;

import static dev.ebb.host.openai.CompletionRequest.MOST_ANSWERS;
import static dev.ebb.host.openai.CompletionRequest.MOST_LOGPROBS;
import static dev.ebb.host.openai.OpenAiJson.shown;
import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.openai.CompletionRequest;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.server.model.SamplerOptions;
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

  /** Unsupported properties, with the values that change nothing. */
  private static final Map<String, Set<String>> UNSUPPORTED =
      Map.ofEntries(
          Map.entry("best_of", Set.of("1")),
          Map.entry("echo", Set.of("false")),
          Map.entry("suffix", Set.of("")),
          Map.entry("logit_bias", Set.of("{}")),
          Map.entry("functions", Set.of("[]")));

  private final CompletionRequest request;
  private final PriorityScale priorities;

  /**
   * Creates a parser.
   *
   * @throws IllegalArgumentException if a property cannot be used
   */
  CompletionParser(JsonNode body, PriorityScale priorities) {
    this.priorities = priorities;
    if (!body.isObject()) {
      throw HttpException.bad("the body must be a JSON object");
    }
    UNSUPPORTED.forEach((name, neutral) -> {
      JsonNode value = body.path(name);
      if (body.hasNonNull(name)
          && !neutral.contains(value.isString() ? value.stringValue() : value.toString())) {
        throw HttpException.bad(
            "%s = '%s' is not supported; leave it out".formatted(name, shown(value)));
      }
    });
    request = OpenAiJson.request(body, CompletionRequest.class);
  }

  CompletionRequest request() {
    return request;
  }

  /** Returns how many answers each prompt gets. */
  int answers() {
    return requireNonNullElse(request.n(), 1);
  }

  /** Returns the prompts of a completion: text, or an array of tokens. */
  List<JsonNode> prompts(int vocabulary) {
    JsonNode prompt = request.prompt();
    if (prompt == null || prompt.isNull()) {
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

  /**
   * Reads the other options.
   *
   * @param owner the tenant of the client's API key; empty if there is none
   * @param usualTokens the length of the answer if the client names none
   */
  CompletionOptions options(String owner, int usualTokens, OutputFormat format) {
    Integer limit =
        request.maxCompletionTokens() == null ? request.maxTokens() : request.maxCompletionTokens();
    Double returnAfter = request.returnAfterS();
    return new CompletionOptions(
        requireNonNullElse(limit, usualTokens),
        sampling(format),
        stops(),
        ignoreEnd(format),
        returnTokenIds(),
        logprobs(),
        requireNonNullElse(request.hint(), 0),
        returnAfter == null ? null : Duration.ofMillis(Math.round(1_000 * returnAfter)),
        priorities.of(requireNonNullElse(request.priority(), priorities.normal())),
        Tenancy.tenant(owner, request.user()),
        format.tools());
  }

  private SamplerOptions sampling(OutputFormat format) {
    float topP = (float) number(request.topP(), 1);
    if (topP == 0) {
      throw HttpException.bad("top_p = '0' must be above 0; use temperature 0 instead");
    }
    float repetition = (float) number(request.repetitionPenalty(), 1);
    if (repetition == 0) {
      throw HttpException.bad("repetition_penalty = '0' must be above 0 and up to 2");
    }
    Long seed = request.seed();
    return new SamplerOptions(
        (float) number(request.temperature(), 1),
        Math.max(0, requireNonNullElse(request.topK(), 0)),
        topP,
        seed == null ? ThreadLocalRandom.current().nextInt() : Long.hashCode(seed),
        (float) number(request.presencePenalty(), 0),
        (float) number(request.frequencyPenalty(), 0),
        repetition,
        format.grammar());
  }

  private static double number(@Nullable Double value, double otherwise) {
    return value == null ? otherwise : value;
  }

  /** Returns the salt of the prefix cache: only requests with the same one share prefixes. */
  @Nullable String salt() {
    String salt = request.cacheSalt();
    if (salt != null && salt.isEmpty()) {
      throw HttpException.bad("cache_salt = '' must be a text that is not empty");
    }
    return salt;
  }

  private boolean ignoreEnd(OutputFormat format) {
    boolean ignored = Boolean.TRUE.equals(request.ignoreEos());
    if (ignored && format.grammar() != null) {
      throw HttpException.bad(
          "ignore_eos = 'true' does not go with a format of the answer; leave one of them out");
    }
    return ignored;
  }

  /** Reads how many likely tokens to report: a flag and a number in chats, or one number. */
  private int logprobs() {
    JsonNode wanted = request.logprobs();
    if (wanted == null || wanted.isNull() || wanted.isBoolean()) {
      boolean on = wanted != null && wanted.booleanValue(false);
      int top = requireNonNullElse(request.topLogprobs(), 0);
      if (!on && top > 0) {
        throw HttpException.bad("top_logprobs = '%d' needs logprobs = true; add it".formatted(top));
      }
      return on ? top : -1;
    }
    int top = wanted.isIntegralNumber() && wanted.canConvertToInt() ? wanted.intValue() : -1;
    if (top < 0 || top > MOST_LOGPROBS) {
      throw HttpException.bad(
          "logprobs = '%s' must be a whole number from 0 to %d, or true or false in chats"
              .formatted(shown(wanted), MOST_LOGPROBS));
    }
    return top;
  }

  private boolean returnTokenIds() {
    boolean wanted = Boolean.TRUE.equals(request.returnTokenIds());
    if (wanted && request.streams()) {
      throw HttpException.bad(
          "return_token_ids = 'true' is not supported in a stream; set stream to false");
    }
    return wanted;
  }

  private List<String> stops() {
    List<String> stops = requireNonNullElse(request.stop(), List.of());
    for (String stop : stops) {
      if (stop == null || stop.isEmpty()) {
        throw HttpException.bad("stop = '%s' must be a text that is not empty".formatted(stop));
      }
    }
    if (stops.size() > MOST_STOPS) {
      throw HttpException.bad(
          "stop has '%d' texts, but at most %d are allowed".formatted(stops.size(), MOST_STOPS));
    }
    return stops;
  }
}
