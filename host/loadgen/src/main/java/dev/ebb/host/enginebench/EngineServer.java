package dev.ebb.host.enginebench;

import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.openai.ModelList;
import dev.ebb.host.openai.ModelList.Model;
import dev.ebb.host.openai.OpenAiJson;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;

/** What is found out about a server before it is measured. Every failure is a mistake to fix. */
final class EngineServer {

  private static final String MODELS = "/v1/models";
  private static final int FEW_WORDS = 8;
  private static final int MORE_WORDS = 40;

  /** The statuses of servers that do not have a path. */
  private static final Set<Integer> NO_SUCH_PATH = Set.of(404, 405, 501);

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  private final EngineTarget target;
  private final EngineClient client;

  EngineServer(EngineTarget target, EngineClient client) {
    this.target = target;
    this.client = client;
  }

  /**
   * Returns the model to use.
   *
   * @throws UserError if the server cannot be reached, or does not have it
   */
  String model() {
    EngineClient.Reply reply;
    try {
      reply = client.get(MODELS);
    } catch (EngineException failed) {
      throw explained(failed);
    }
    if (reply.status() == UNAUTHORIZED || reply.status() == FORBIDDEN) {
      throw unauthorized();
    }
    String wanted = target.model();
    if (wanted != null && NO_SUCH_PATH.contains(reply.status())) {
      return wanted;
    }
    List<String> models = reply.status() == 200 ? models(reply.text()) : List.of();
    if (models.isEmpty()) {
      throw new UserError(
          "what listens at '%s' is not a server with OpenAI's API: it answered GET %s with status %d and no list of models; check --url, or name the model with --model"
              .formatted(target, MODELS, reply.status()));
    }
    if (wanted != null && !models.contains(wanted)) {
      throw new UserError(
          "--model: '%s' has no model '%s'%s; available: %s"
              .formatted(target, wanted, Suggestions.hint(wanted, models), models));
    }
    return wanted == null ? models.getFirst() : wanted;
  }

  private static List<String> models(String text) {
    try {
      List<Model> models = OpenAiJson.answer(text, ModelList.class).data();
      return models == null
          ? List.of()
          : models.stream().map(Model::id).filter(id -> id != null && !id.isEmpty()).toList();
    } catch (JacksonException notJson) {
      return List.of();
    }
  }

  /**
   * Sends two short prompts, and returns how many words a token of this model has on average.
   *
   * @throws UserError if the server does not answer as it should
   */
  double wordsPerToken(EngineMessages messages, PromptText texts) {
    try {
      long few = tokens(messages, texts.other(FEW_WORDS));
      long more = tokens(messages, texts.other(MORE_WORDS));
      return few < 0 || more <= few ? 1 : (double) (MORE_WORDS - FEW_WORDS) / (more - few);
    } catch (EngineException failed) {
      throw explained(failed);
    }
  }

  private long tokens(EngineMessages messages, String prompt) {
    return client.stream(messages.probe(prompt), () -> {}).answer().promptTokens();
  }

  private UserError explained(EngineException failed) {
    if (failed.status() == UNAUTHORIZED || failed.status() == FORBIDDEN) {
      return unauthorized();
    }
    String remedy =
        switch (failed.kind()) {
          case CONNECTION -> "; start the server, or give its address with --url";
          case TIMEOUT -> "; give it longer with --timeout";
          case STATUS ->
              NO_SUCH_PATH.contains(failed.status())
                  ? "; check --model, or use --api "
                      + (target.api() == EngineTarget.Api.CHAT ? "completions" : "chat")
                  : "";
          case REPORTED, INCOMPLETE -> "; see the server's log";
          case MALFORMED -> "; is it a server with OpenAI's API?";
        };
    return new UserError(failed.text() + remedy);
  }

  private UserError unauthorized() {
    return new UserError(
        target.apiKey() == null
            ? "'%s' needs an API key; name the variable or file that has it with --api-key env:NAME or --api-key file:PATH"
                .formatted(target)
            : "'%s' does not accept this API key; check the variable or file of --api-key"
                .formatted(target));
  }

  /** Returns the server's counters, if it publishes any. */
  ServerCounters counters() {
    try {
      EngineClient.Reply reply = client.get("/metrics");
      return reply.status() == 200 ? ServerCounters.of(reply.text()) : ServerCounters.UNKNOWN;
    } catch (EngineException none) {
      return ServerCounters.UNKNOWN;
    }
  }

  /**
   * A server's counters of prompt tokens, read from its metrics. Each is NaN if the server has no
   * metric with a known name.
   *
   * @param prompt tokens of prompts
   * @param reused of these, tokens whose K and V were in the cache
   * @param prefilled of these, tokens whose K and V were computed
   */
  record ServerCounters(double prompt, double reused, double prefilled) {

    static final ServerCounters UNKNOWN = new ServerCounters(Double.NaN, Double.NaN, Double.NaN);

    private static final List<String> PROMPT =
        List.of(
            "vllm:prompt_tokens_total", "sglang:prompt_tokens_total", "ebb_prompt_tokens_total");

    /** The second of vLLM counts tokens that a KV connector, such as LMCache, loaded. */
    private static final List<String> REUSED =
        List.of(
            "vllm:prefix_cache_hits_total",
            "vllm:external_prefix_cache_hits_total",
            "vllm:gpu_prefix_cache_hits_total",
            "sglang:cached_tokens_total",
            "ebb_prefix_hit_tokens_total");

    private static final List<String> PREFILLED = List.of("llamacpp:prompt_tokens_total");

    private static final Pattern SAMPLE =
        Pattern.compile("(?m)^([A-Za-z_:][\\w:]*)(?:\\{.*})?[ \\t]+(\\S+)");

    /** Reads the counters from metrics in Prometheus' text format. */
    static ServerCounters of(String metrics) {
      double prompt = Double.NaN;
      double reused = Double.NaN;
      double prefilled = Double.NaN;
      Matcher sample = SAMPLE.matcher(metrics);
      while (sample.find()) {
        String name = sample.group(1);
        if (PROMPT.contains(name)) {
          prompt = plus(prompt, sample.group(2));
        } else if (REUSED.contains(name)) {
          reused = plus(reused, sample.group(2));
        } else if (PREFILLED.contains(name)) {
          prefilled = plus(prefilled, sample.group(2));
        }
      }
      return new ServerCounters(prompt, reused, prefilled);
    }

    private static double plus(double sum, String value) {
      try {
        return (Double.isNaN(sum) ? 0 : sum) + Double.parseDouble(value);
      } catch (NumberFormatException notANumber) {
        return sum;
      }
    }

    /** Returns the increase since an earlier time; NaN where the counter was reset meanwhile. */
    ServerCounters since(ServerCounters before) {
      return new ServerCounters(
          increase(before.prompt, prompt),
          increase(before.reused, reused),
          increase(before.prefilled, prefilled));
    }

    private static double increase(double before, double now) {
      // A counter without labels may appear only when it is first incremented.
      double change = now - (Double.isNaN(before) ? 0 : before);
      return change >= 0 ? change : Double.NaN;
    }
  }
}
