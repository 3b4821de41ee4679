package dev.ebb.server.completion;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ebb.host.config.engine.EngineConfig;
import dev.ebb.host.config.engine.EngineConfig.Role;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.PageExchange;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.login.FailedLogins;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.host.text.HttpUrl;
import dev.ebb.server.model.SamplerOptions;
import dev.ebb.server.peer.Moved;
import dev.ebb.server.peer.MovedSequence;
import dev.ebb.server.peer.PageFrames;
import dev.ebb.server.peer.PeerClient;
import dev.ebb.server.peer.PeerMetrics;
import dev.ebb.server.peer.PeerModel;
import dev.ebb.server.peer.PeerPrompt;
import dev.ebb.server.peer.RunningSequences;
import java.net.URI;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** The routes for other engines, and for the operator who moves sequences between them. */
final class PeerRoutes {

  private static final Logger LOG = LoggerFactory.getLogger(PeerRoutes.class);
  private static final int LARGEST_BODY = 64 << 20;
  private static final SamplerOptions GREEDY = SamplerOptions.random(0, 0, 1, 0);

  private final EngineConfig config;
  private final boolean open;
  private final CompletionEngine<?> engine;
  private final CompletionRoutes completions;
  private final @Nullable PageExchange pages;
  private final PeerModel model;
  private final Tenancy tenancy;
  private final int contextTokens;
  private final PeerClient client;
  private final PeerMetrics metrics;
  private final FailedLogins logins = new FailedLogins("peer");

  /**
   * Creates the routes.
   *
   * @param open whether the server needs no key of clients, and so is on loopback
   * @param pages null if pages of the model cannot be copied
   */
  PeerRoutes(
      EngineConfig config,
      boolean open,
      CompletionEngine<?> engine,
      CompletionRoutes completions,
      @Nullable PageExchange pages,
      PeerModel model,
      Tenancy tenancy,
      int contextTokens,
      PeerClient client,
      PeerMetrics metrics) {
    this.config = config;
    this.open = open;
    this.engine = engine;
    this.completions = completions;
    this.pages = pages;
    this.model = model;
    this.tenancy = tenancy;
    this.contextTokens = contextTokens;
    this.client = client;
    this.metrics = metrics;
  }

  /** Adds the routes, which check the key of peers themselves. */
  Routes addTo(Routes routes) {
    String sequences = PeerClient.SEQUENCES;
    return routes
        .add(
            Operation.get(PeerClient.MODEL, PeerModel.class, "the model, for other engines").open(),
            peer(request -> json(model)))
        .add(
            Operation.get(sequences, RunningSequences.class, "the running sequences").open(),
            peer(request -> json(engine.between(this::running))))
        .add(
            Operation.post(
                    sequences + "/{id}/move", Moved.class, "moves a sequence to another engine")
                .body(Field.text("to", "the other engine's URL"))
                .open(),
            peer(this::move))
        .add(
            Operation.post(sequences, Map.class, "goes on with a sequence of another engine")
                .upTo(LARGEST_BODY)
                .open(),
            peer(this::take))
        .add(
            Operation.post(PeerClient.PAGES, PeerClient.Written.class, "caches blocks of a prompt")
                .bytes(LARGEST_BODY)
                .open(),
            peer(this::write))
        .add(
            Operation.post(PeerClient.READ, Void.class, "cached blocks of a prompt")
                .upTo(LARGEST_BODY)
                .open(),
            peer(this::read))
        .add(
            Operation.post(PeerClient.PREFILL, Map.class, "computes a prompt for another engine")
                .upTo(LARGEST_BODY)
                .open(),
            peer(this::prefill));
  }

  private static Reply json(Object document) {
    return Reply.text("application/json", OpenAiJson.text(document) + "\n");
  }

  private Function<ServerRequest, Reply> peer(Function<ServerRequest, Reply> handler) {
    return request -> {
      check(request);
      try {
        return handler.apply(request);
      } catch (IllegalArgumentException wrong) {
        throw HttpException.bad(String.valueOf(wrong.getMessage()));
      }
    };
  }

  private void check(ServerRequest request) {
    String key = config.peerKey();
    if (key == null) {
      if (!open) {
        throw new HttpException(
            403, "this engine has no peers; set ebb.engine.peer-key in all engines");
      }
      return;
    }
    String header = request.header("Authorization");
    byte[] given =
        (header != null && header.startsWith("Bearer ") ? header.substring(7) : "").getBytes(UTF_8);
    boolean right = MessageDigest.isEqual(key.getBytes(UTF_8), given);
    FailedLogins.Result result =
        given.length == 0
            ? FailedLogins.Result.WRONG
            : logins.check(request.client().getHostString(), right, given);
    switch (result) {
      case ACCEPTED -> {}
      case WRONG ->
          throw new HttpException(
              401,
              given.length == 0
                  ? "a key is needed: send 'Authorization: Bearer KEY' with the engines'"
                      + " ebb.engine.peer-key"
                  : "the key is not ebb.engine.peer-key of this engine; set the same in all"
                      + " engines");
      case LIMITED -> throw new HttpException(429, FailedLogins.TOO_MANY);
    }
  }

  private RunningSequences running() {
    return new RunningSequences(
        Stream.concat(
                engine.live().stream().map(each -> running(each, null)),
                engine.moved().entrySet().stream()
                    .map(each -> running(each.getKey(), each.getValue())))
            .toList());
  }

  private static RunningSequences.Running running(Completion each, @Nullable URI to) {
    CompletionOptions options = each.options();
    return new RunningSequences.Running(
        each.id,
        options.tenant(),
        each.promptTokens(),
        each.answerTokens(),
        options.maxTokens(),
        to != null,
        to == null ? null : to.toString());
  }

  private Reply move(ServerRequest request) {
    String id = request.path("id");
    String to = request.body().text("to");
    URI target =
        HttpUrl.server(to)
            .orElseThrow(() -> HttpException.bad("to = '%s' %s".formatted(to, HttpUrl.SERVER)));
    List<Completion> live = engine.between(engine::live);
    Completion completion =
        live.stream()
            .filter(each -> String.valueOf(each.id).equals(id))
            .findFirst()
            .orElseThrow(() ->
                new HttpException(
                    404,
                    "no sequence '%s' is computed here; those that are: %s"
                        .formatted(id, live.stream().map(each -> each.id).toList())));
    String obstacle = completion.obstacle();
    if (obstacle != null) {
      throw new HttpException(409, "the sequence '%s' cannot move: %s".formatted(id, obstacle));
    }
    return json(
        new CompletionMove(engine, pages, client, model, metrics, completion, target).run());
  }

  private static <T> T document(ServerRequest request, Class<T> type) {
    try {
      return OpenAiJson.answer(request.json().toString(), type);
    } catch (JacksonException malformed) {
      throw HttpException.bad(
          "the body is not that of an engine of this version: " + malformed.getOriginalMessage());
    }
  }

  private Reply take(ServerRequest request) {
    MovedSequence moved = document(request, MovedSequence.class);
    String difference = moved.model().difference(model, "this engine");
    if (difference != null || config.role() == Role.PREFILL) {
      throw new HttpException(
          409, difference == null ? "this engine has the role 'prefill'" : difference);
    }
    BlockingQueue<Completion.Event> events = new LinkedBlockingQueue<>();
    Completion completion = completions.read(moved, events);
    return stream(
        new PeerAnswer(
            completion,
            events,
            () -> {
              metrics.movedIn.increment();
              LOG.info(
                  "sequence taken from={} prompt={} answer={}",
                  request.client().getHostString(),
                  moved.prompt().length,
                  moved.answer().length);
            }));
  }

  private static Reply stream(PeerAnswer answer) {
    return new Reply.Stream("application/x-ndjson", answer);
  }

  private Namespace namespace(PeerPrompt prompt) {
    return tenancy.namespace(prompt.owner(), prompt.user(), prompt.salt());
  }

  /** Returns the exchange for pages of another engine. */
  private PageExchange pages(PeerPrompt prompt) {
    PageExchange exchange = pages;
    if (exchange == null || !model.sharesPages(prompt.model())) {
      throw new HttpException(
          409,
          "the blocks are '%s', and those of this engine '%s'; start both with the same model and the same --kv-block-size"
              .formatted(prompt.model().pages(), model.pages()));
    }
    return exchange;
  }

  private Reply write(ServerRequest request) {
    PageExchange exchange = pages;
    PageFrames frames = PageFrames.of(request.bytes(), exchange == null ? 1 : exchange.pageBytes());
    PeerPrompt prompt = frames.prompt();
    PageExchange to = pages(prompt);
    int cached =
        engine.between(
            () -> to.write(namespace(prompt), prompt.tokens(), prompt.first(), frames.pages()));
    metrics.bytesIn.add((long) frames.pages().size() * to.pageBytes());
    return json(new PeerClient.Written(cached));
  }

  private Reply read(ServerRequest request) {
    PeerPrompt prompt = document(request, PeerPrompt.class);
    PageExchange from = pages(prompt);
    int most = Math.min(prompt.most(), PageCopies.atOnce(from));
    // Not between two steps: the other engine gets a batch while the next one is computed.
    List<byte[]> read = from.read(namespace(prompt), prompt.tokens(), prompt.first(), most);
    metrics.bytesOut.add((long) read.size() * from.pageBytes());
    byte[] body = new PageFrames(prompt.of(), read).bytes();
    return new Reply.Whole(200, "application/octet-stream", body, Map.of());
  }

  private Reply prefill(ServerRequest request) {
    PeerPrompt prompt = document(request, PeerPrompt.class);
    pages(prompt);
    if (config.role() == Role.DECODE) {
      throw new HttpException(409, "this engine has the role 'decode'; ask one that prefills");
    }
    int[] tokens = prompt.tokens();
    engine.check(tokens);
    if (tokens.length == 0 || tokens.length >= contextTokens) {
      throw new HttpException(
          409,
          "a prompt of '%d' tokens must have 1 to %d".formatted(tokens.length, contextTokens - 1));
    }
    String tenant = Tenancy.tenant(prompt.owner(), prompt.user());
    CompletionOptions options =
        new CompletionOptions(
            1, GREEDY, List.of(), true, false, -1, 0, null, prompt.priority(), tenant, null);
    SequenceRequest sequence =
        SequenceRequest.of(namespace(prompt), tokens)
            .withPriority(prompt.priority())
            .withMaxLength(tokens.length + 1);
    BlockingQueue<Completion.Event> events = new LinkedBlockingQueue<>();
    Completion completion =
        engine.completion(
            tenant == null ? sequence : sequence.withTenant(tenant), options, 0, events);
    completion.reportProgress();
    return stream(new PeerAnswer(completion, events, () -> {}));
  }
}
