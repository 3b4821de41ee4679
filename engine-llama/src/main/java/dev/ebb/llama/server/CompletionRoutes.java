package dev.ebb.llama.server;

import dev.ebb.host.engine.Namespace;
import dev.ebb.host.engine.SequenceRequest;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.metrics.Metrics;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.llama.binding.ChatMessage;
import dev.ebb.llama.binding.LlamaModel;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The routes of the OpenAI API. */
final class CompletionRoutes {

  /** The length of an answer that names none, as in the OpenAI API. */
  private static final int USUAL_TOKENS = 16;

  private final String name;
  private final LlamaModel model;
  private final LlamaEngine engine;
  private final int contextTokens;
  private final Metrics metrics;
  private final ClosedConnections closed = new ClosedConnections();
  private final long started = Instant.now().getEpochSecond();

  /**
   * Creates the routes.
   *
   * @param name the served name of the model
   * @param contextTokens the most tokens of prompt and answer
   */
  CompletionRoutes(
      String name, LlamaModel model, LlamaEngine engine, int contextTokens, Metrics metrics) {
    this.name = name;
    this.model = model;
    this.engine = engine;
    this.contextTokens = contextTokens;
    this.metrics = metrics;
  }

  Routes routes() {
    return new Routes()
        .add(
            Operation.post("/v1/completions", Map.class, "completes a prompt").question(),
            request -> complete(request, false))
        .add(
            Operation.post("/v1/chat/completions", Map.class, "answers a chat").question(),
            request -> complete(request, true))
        .add(Operation.get("/v1/models", Map.class, "the served model"), request -> models())
        .add(
            Operation.get("/health", Map.class, "200 while requests are accepted").open(),
            request -> health())
        .add(
            Operation.page("/metrics", Metrics.TYPE, "metrics in Prometheus text format"),
            request -> Reply.text(Metrics.TYPE, metrics.scrape()));
  }

  private Reply models() {
    Map<String, Object> entry =
        Map.of(
            "id", name,
            "object", "model",
            "created", started,
            "owned_by", "ebb",
            "max_model_len", contextTokens);
    return Reply.json(Map.of("object", "list", "data", List.of(entry)));
  }

  private Reply health() {
    return engine.running()
        ? Reply.json(Map.of("status", "ok"))
        : Reply.json(503, Map.of("status", "stopping"));
  }

  private Reply complete(ServerRequest request, boolean chat) {
    CompletionParser parser = new CompletionParser(request.json());
    String wanted = parser.model();
    if (wanted != null && !wanted.equals(name)) {
      return OpenAiError.reply(
          404, "the model '%s' is not served; use '%s'".formatted(wanted, name), "model_not_found");
    }
    int[] prompt = prompt(parser, chat);
    if (prompt.length == 0) {
      throw HttpException.bad("the prompt is empty");
    }
    int room = contextTokens - prompt.length;
    CompletionOptions options =
        parser.options(Math.max(1, chat ? room : Math.min(USUAL_TOKENS, room)));
    if (options.maxTokens() > room) {
      return OpenAiError.reply(
          400,
          "a prompt of '%d' tokens and an answer of up to '%d' exceed the context of %d tokens; shorten the prompt, or lower max_tokens"
              .formatted(prompt.length, options.maxTokens(), contextTokens),
          "context_length_exceeded");
    }
    return run(request, new Completion(sequence(prompt, options), options), parser, chat);
  }

  /** Reads a text of operators as that of a client. */
  SequenceRequest read(String text, boolean system, @Nullable String tenant) {
    int[] tokens =
        system ? chat(List.of(new ChatMessage("system", text))) : model.tokenize(text, false);
    return SequenceRequest.of(Namespace.of(name), tokens);
  }

  private int[] chat(List<ChatMessage> messages) {
    return model.tokenize(model.chatPrompt(messages), true);
  }

  private int[] prompt(CompletionParser parser, boolean chat) {
    if (chat) {
      return chat(parser.messages());
    }
    String text = parser.prompt();
    return text == null
        ? parser.promptTokens(model.shape().vocabulary())
        : model.tokenize(text, false);
  }

  private SequenceRequest sequence(int[] prompt, CompletionOptions options) {
    SequenceRequest request =
        SequenceRequest.of(Namespace.of(name), prompt)
            .withPriority(options.priority())
            .withMaxLength(prompt.length + options.maxTokens());
    String tenant = options.tenant();
    return tenant == null ? request : request.withTenant(tenant);
  }

  private Reply run(
      ServerRequest request, Completion completion, CompletionParser parser, boolean chat) {
    engine.submit(completion);
    try {
      Completion.Event first = completion.next(CompletionOutput.PATIENCE);
      while (first == null) {
        if (closed.contains(request.server(), request.client())) {
          engine.cancel(completion);
        }
        first = completion.next(CompletionOutput.PATIENCE);
      }
      if (first instanceof Completion.Ended ended) {
        return refused(ended);
      }
      int cached = first instanceof Completion.Started begun ? begun.cachedTokens() : 0;
      CompletionDocuments documents =
          new CompletionDocuments(
              (chat ? "chatcmpl-" : "cmpl-") + UUID.randomUUID(),
              Instant.now().getEpochSecond(),
              name,
              chat,
              completion.promptTokens(),
              cached);
      CompletionOutput output = new CompletionOutput(engine, completion, documents);
      return parser.stream() ? output.stream(parser.usage()) : output.whole();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      engine.cancel(completion);
      throw new HttpException(503, "the server is stopping; try again later");
    }
  }

  /** Returns the reply to a request that has ended without an answer. */
  static Reply refused(Completion.Ended ended) {
    EndReason reason = ended.reason();
    return switch (reason) {
      case QUEUE_FULL -> OpenAiError.reply(429, ended.message(), "queue_full");
      case QUEUE_TIMEOUT -> OpenAiError.reply(503, ended.message(), "queue_timeout");
      case TOO_LONG -> OpenAiError.reply(400, ended.message(), "context_length_exceeded");
      case CANCELLED -> OpenAiError.reply(503, ended.message(), "cancelled");
      case FAILED, FINISHED -> OpenAiError.reply(500, ended.message(), "failed");
    };
  }
}
