package dev.ebb.server.completion;

import dev.ebb.host.config.engine.EngineConfig.Role;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.PromptReader;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.metrics.Metrics;
import dev.ebb.host.openai.ApiError;
import dev.ebb.host.openai.CompletionRequest;
import dev.ebb.host.openai.ModelList;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.tracing.Tracing;
import dev.ebb.host.units.Percent;
import dev.ebb.server.model.ChatMessage;
import dev.ebb.server.model.ServedModel;
import dev.ebb.server.peer.MovedSequence;
import dev.ebb.server.tools.ToolFormat;
import dev.ebb.server.tools.ToolUse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/** The routes of the OpenAI API. */
final class CompletionRoutes implements PromptReader {

  /** The length of an answer that names none, as in the OpenAI API. */
  private static final int USUAL_TOKENS = 16;

  private final Tenancy tenancy;
  private final String name;
  private final ServedModel model;
  private final String template;
  private final CompletionEngine<?> engine;
  private final int contextTokens;
  private final int maxQueued;
  private final PriorityScale priorities;
  private final @Nullable Tracing tracing;
  private final Metrics metrics;
  private final Role role;
  private final @Nullable PrefillPeer prefill;
  private final ClosedConnections closed = new ClosedConnections();
  private final long started = Instant.now().getEpochSecond();

  /**
   * Creates the routes.
   *
   * @param tenancy the served name of the model, and who shares prefixes
   * @param maxQueued the most requests that may wait
   * @param tracing receives a span for each request; null for none
   * @param prefill computes long prompts; null for none
   */
  CompletionRoutes(
      Tenancy tenancy,
      ServedModel model,
      CompletionEngine<?> engine,
      int contextTokens,
      int maxQueued,
      PriorityScale priorities,
      @Nullable Tracing tracing,
      Metrics metrics,
      Role role,
      @Nullable PrefillPeer prefill) {
    this.tenancy = tenancy;
    this.name = tenancy.model();
    this.model = model;
    template = model.chatTemplate();
    this.engine = engine;
    this.contextTokens = contextTokens;
    this.maxQueued = maxQueued;
    this.priorities = priorities;
    this.tracing = tracing;
    this.metrics = metrics;
    this.role = role;
    this.prefill = prefill;
  }

  Routes routes() {
    return new Routes("docs/engine.md")
        .add(
            Operation.post("/v1/completions", Map.class, "completes a prompt").question(),
            request -> complete(request, false))
        .add(
            Operation.post("/v1/chat/completions", Map.class, "answers a chat").question(),
            request -> complete(request, true))
        .add(
            Operation.get("/v1/models", Map.class, "the served model"),
            request -> json(ModelList.of(entry())))
        .add(
            Operation.get("/v1/models/{id}", Map.class, "the served model, by its name"),
            request -> model(Percent.decodeText(request.path("id"))))
        .add(
            Operation.get("/health", Map.class, "200 while requests are accepted").open(),
            request -> health())
        .add(
            Operation.page("/metrics", Metrics.TYPE, "metrics in Prometheus text format"),
            metrics::reply);
  }

  private ModelList.Model entry() {
    return new ModelList.Model(name, "model", started, "ebb", contextTokens);
  }

  private Reply model(String wanted) {
    return wanted.equals(name) ? json(entry()) : notServed(wanted);
  }

  private static Reply json(Object document) {
    return Reply.text("application/json", OpenAiJson.text(document) + "\n");
  }

  private Reply notServed(String wanted) {
    return error(
        404, "the model '%s' is not served; use '%s'".formatted(wanted, name), "model_not_found");
  }

  private static Reply error(int status, String message, String code) {
    return Reply.json(status, ApiError.of(status, message, code));
  }

  private Reply health() {
    return engine.running()
        ? Reply.json(Map.of("status", "ok"))
        : Reply.json(503, Map.of("status", "stopping"));
  }

  /** A request is refused with a code of the OpenAI API. */
  private static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Reply reply;

    RefusedException(Reply reply) {
      super(null, null, false, false);
      this.reply = reply;
    }
  }

  private Reply complete(ServerRequest request, boolean chat) {
    if (role == Role.PREFILL) {
      throw new HttpException(
          403,
          "this engine has the role 'prefill' and computes prompts for other engines only; send requests to one with the role 'decode' or 'both'");
    }
    CompletionParser parser;
    Answers answers;
    CompletionDocuments documents =
        new CompletionDocuments(
            (chat ? "chatcmpl-" : "cmpl-") + UUID.randomUUID(),
            Instant.now().getEpochSecond(),
            name,
            chat);
    CompletionSpan span = CompletionSpan.of(tracing, request, documents);
    try {
      parser = new CompletionParser(request.json(), priorities);
      answers = answers(parser, request.owner(), chat, span);
    } catch (RefusedException refused) {
      return refused.reply;
    } catch (IllegalArgumentException wrong) {
      throw HttpException.bad(String.valueOf(wrong.getMessage()));
    }
    span.start(parser.request());
    return run(request, answers, parser.request(), documents);
  }

  private Answers answers(
      CompletionParser parser, String owner, boolean chat, CompletionSpan span) {
    String wanted = parser.request().model();
    if (wanted != null && !wanted.equals(name)) {
      throw new RefusedException(notServed(wanted));
    }
    OutputFormat format = new FormatParser(parser.request()).read(chat ? template : null);
    List<int[]> prompts = chat ? List.of(chat(parser, format.tools())) : prompts(parser);
    int each = parser.answers();
    long requests = (long) prompts.size() * each;
    if (requests > maxQueued) {
      throw HttpException.bad(
          "'%d' answers exceed max-queued '%d', the most requests that may wait; ask for fewer, or start the server with a larger --max-queued"
              .formatted(requests, maxQueued));
    }
    Answers answers = new Answers(each, span);
    try {
      for (int[] prompt : prompts) {
        CompletionOptions options = options(parser, owner, prompt, chat, format);
        SequenceRequest sequence = sequence(prompt, options, owner, parser.salt());
        Completion.Origin origin = origin(parser, owner, options, chat);
        for (int i = 0; i < each; i++) {
          CompletionOptions own = options.answer(i);
          answers.add(own, (index, events) -> completion(sequence, own, index, events, origin));
        }
      }
      return answers;
    } catch (RuntimeException wrong) {
      answers.discard();
      throw wrong;
    }
  }

  private Completion.Origin origin(
      CompletionParser parser, String owner, CompletionOptions options, boolean chat) {
    Namespace namespace = tenancy.namespace(owner, options.tenant(), parser.salt());
    return new Completion.Origin(parser.request(), chat, owner, namespace);
  }

  private Completion completion(
      SequenceRequest prompt,
      CompletionOptions options,
      int index,
      BlockingQueue<Completion.Event> events,
      Completion.Origin origin) {
    Completion completion = engine.completion(prompt, options, index, events);
    completion.origin(origin);
    return completion;
  }

  /**
   * Returns the completion of a sequence that comes from another engine, not submitted yet.
   *
   * @throws IllegalArgumentException if this engine cannot go on with it
   */
  Completion read(MovedSequence moved, BlockingQueue<Completion.Event> events) {
    CompletionParser parser = new CompletionParser(OpenAiJson.tree(moved.request()), priorities);
    OutputFormat format = new FormatParser(parser.request()).read(moved.chat() ? template : null);
    CompletionOptions options =
        parser.options(moved.owner(), moved.maxTokens(), format).withSeed(moved.seed());
    if (moved.prompt().length + options.maxTokens() > contextTokens) {
      throw new IllegalArgumentException(
          "a prompt of '%d' tokens and an answer of up to '%d' exceed the context of %d tokens"
              .formatted(moved.prompt().length, options.maxTokens(), contextTokens));
    }
    Completion completion =
        completion(
            sequence(moved.prompt(), options, moved.owner(), parser.salt()),
            options,
            0,
            events,
            origin(parser, moved.owner(), options, moved.chat()));
    try {
      engine.goOn(completion, moved.answer());
      return completion;
    } catch (IllegalStateException | IllegalArgumentException foreign) {
      completion.close();
      throw new IllegalArgumentException(foreign.getMessage(), foreign);
    }
  }

  private CompletionOptions options(
      CompletionParser parser, String owner, int[] prompt, boolean chat, OutputFormat format) {
    if (prompt.length == 0) {
      throw HttpException.bad("the prompt is empty");
    }
    int room = contextTokens - prompt.length;
    CompletionOptions options =
        parser.options(owner, Math.max(1, chat ? room : Math.min(USUAL_TOKENS, room)), format);
    if (options.maxTokens() > room) {
      throw new RefusedException(
          error(
              400,
              "a prompt of '%d' tokens and an answer of up to '%d' exceed the context of %d tokens; shorten the prompt, or lower max_tokens"
                  .formatted(prompt.length, options.maxTokens(), contextTokens),
              "context_length_exceeded"));
    }
    return options;
  }

  /** Reads a text of operators as that of a client. */
  @Override
  public SequenceRequest read(String text, boolean system, @Nullable String tenant) {
    int[] tokens =
        system ? chat(List.of(new ChatMessage("system", text))) : model.tokenize(text, false);
    return SequenceRequest.of(namespace(tenant), tokens);
  }

  @Override
  public Namespace namespace(@Nullable String tenant) {
    return tenancy.ofTenant(tenant);
  }

  private int[] chat(List<ChatMessage> messages) {
    return model.tokenize(model.chatPrompt(messages), true);
  }

  private int[] chat(CompletionParser parser, @Nullable ToolUse tools) {
    List<ChatMessage> messages =
        new ChatParser(ToolFormat.of(template).orElse(null)).messages(parser.request().messages());
    List<ChatMessage> described =
        tools == null ? messages : tools.format().describe(tools.described(), messages);
    return chat(described);
  }

  private List<int[]> prompts(CompletionParser parser) {
    return parser.prompts(model.vocabulary()).stream()
        .map(prompt ->
            prompt.isString()
                ? model.tokenize(prompt.stringValue(), false)
                : CompletionParser.tokens(prompt))
        .toList();
  }

  private SequenceRequest sequence(
      int[] prompt, CompletionOptions options, String owner, @Nullable String salt) {
    SequenceRequest request =
        SequenceRequest.of(tenancy.namespace(owner, options.tenant(), salt), prompt)
            .withPriority(options.priority())
            .withMaxLength(prompt.length + options.maxTokens());
    String tenant = options.tenant();
    return tenant == null ? request : request.withTenant(tenant);
  }

  private Reply run(
      ServerRequest request,
      Answers answers,
      CompletionRequest wanted,
      CompletionDocuments documents) {
    PrefillPeer peer = prefill;
    if (peer != null) {
      answers
          .prompts()
          .forEach(
              each -> peer.obtain(each, () -> closed.contains(request.server(), request.client())));
    }
    answers.submit();
    try {
      List<Answers.Part> early = new ArrayList<>();
      while (!answers.await(CompletionOutput.PATIENCE, early)) {
        if (closed.contains(request.server(), request.client())) {
          answers.cancel();
        }
      }
      Completion.Ended failure = answers.failure();
      if (failure != null) {
        answers.cancel();
        return refused(failure);
      }
      CompletionOutput output = new CompletionOutput(answers, documents, early);
      return wanted.streams() ? output.stream(wanted.wantsUsage()) : output.whole();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      answers.cancel();
      throw new HttpException(503, "the server is stopping; try again later");
    }
  }

  /** Returns the reply to a request that has ended without an answer. */
  static Reply refused(Completion.Ended ended) {
    EndReason reason = ended.reason();
    return switch (reason) {
      case QUEUE_FULL -> error(429, ended.message(), "queue_full");
      case QUEUE_TIMEOUT -> error(503, ended.message(), "queue_timeout");
      case TOO_LONG -> error(400, ended.message(), "context_length_exceeded");
      case CANCELLED -> error(503, ended.message(), "cancelled");
      case FAILED, FINISHED, MOVED -> error(500, ended.message(), "failed");
    };
  }
}
