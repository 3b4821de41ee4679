package dev.ebb.host.enginebench;

import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.openai.ModelList;
import dev.ebb.host.openai.ModelList.Model;
import dev.ebb.host.openai.OpenAiJson;
import java.util.List;
import java.util.Set;
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
                      + (target.api() == EngineApi.CHAT ? "completions" : "chat")
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
}
