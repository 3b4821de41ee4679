package dev.ebb.router.server;

import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.http.Reply;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.openai.ApiError;
import dev.ebb.router.choice.EngineSelector;
import dev.ebb.router.choice.EngineSelector.Assignment;
import dev.ebb.router.choice.RoutedEngine;
import dev.ebb.router.engine.Abort;
import dev.ebb.router.engine.EngineClient;
import dev.ebb.router.prompt.RoutedPrompt;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a request to the engine that was chosen for it. If this engine fails before its answer has
 * begun, or has no space for the request, the next one gets it.
 */
final class RequestForwarder {

  private static final Logger LOG = LoggerFactory.getLogger(RequestForwarder.class);

  /** Headers that engines receive as the client has sent them. */
  private static final List<String> HEADERS =
      List.of(
          "Content-Type", "Accept", "Authorization", "X-Request-Id", "traceparent", "tracestate");

  /** Another engine may have space for a request that one has refused with these. */
  private static final Set<Integer> RETRIED = Set.of(429, 503);

  private static final int MOST_ERROR_BYTES = 1 << 20;

  private final EngineSelector selector;
  private final EngineClient engines;
  private final ClientWatch clients;
  private final boolean sharePrefixes;

  RequestForwarder(
      EngineSelector selector, EngineClient engines, ClientWatch clients, boolean sharePrefixes) {
    this.selector = selector;
    this.engines = engines;
    this.clients = clients;
    this.sharePrefixes = sharePrefixes;
  }

  /**
   * A request on its way.
   *
   * @param gone runs when the client has disconnected
   */
  private record Forwarded(
      ServerRequest request,
      String path,
      RoutedPrompt prompt,
      Map<String, String> headers,
      Abort gone) {}

  Reply forward(ServerRequest request, String path, boolean chat) {
    RoutedPrompt prompt = RoutedPrompt.read(request.bytes(), chat, request.owner(), sharePrefixes);
    Forwarded forwarded =
        new Forwarded(request, path, prompt, headers(request), clients.add(request));
    Reply reply = null;
    try {
      reply = forward(forwarded);
      return reply;
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return error(503, "the router is stopping; try again later", "cancelled");
    } finally {
      if (!(reply instanceof Reply.Stream)) {
        clients.remove(request);
      }
    }
  }

  private Reply forward(Forwarded request) throws InterruptedException {
    Set<RoutedEngine> tried = new HashSet<>();
    Set<RoutedEngine> failed = new HashSet<>();
    Set<RoutedEngine> again = new HashSet<>();
    Reply last = null;
    while (!request.gone.aborted()) {
      Assignment chosen = selector.choose(request.prompt.prompts(), request.prompt.model(), tried);
      if (chosen == null && tried.removeAll(failed)) {
        // An engine may have closed a connection that was idle: it gets a second attempt.
        failed.clear();
        continue;
      } else if (chosen == null) {
        return last == null ? unavailable() : last;
      }
      Reply reply = attempt(request, chosen);
      boolean refused = reply instanceof Reply.Whole whole && RETRIED.contains(whole.status());
      if (reply != null && !refused) {
        return reply;
      }
      last = refused ? reply : last;
      tried.add(chosen.engine());
      if (!refused && again.add(chosen.engine())) {
        failed.add(chosen.engine());
      }
    }
    return error(503, "the client has disconnected", "cancelled");
  }

  private static Map<String, String> headers(ServerRequest request) {
    Map<String, String> headers = new HashMap<>();
    for (String name : HEADERS) {
      String value = request.header(name);
      if (value != null) {
        headers.put(name, value);
      }
    }
    return headers;
  }

  /** Returns the reply of an engine; null if it fails, or the client disconnects, before. */
  private @Nullable Reply attempt(Forwarded request, Assignment chosen)
      throws InterruptedException {
    Abort abort = engines.add(chosen.engine());
    request.gone.ends(abort);
    Reply reply = null;
    try {
      CompletableFuture<HttpResponse<InputStream>> sent =
          engines.post(chosen.engine(), request.path, request.headers, request.prompt.body());
      abort.ends(() -> sent.cancel(true));
      HttpResponse<InputStream> response = sent.get();
      reply =
          response.statusCode() == 200
              ? answer(request, chosen, response, abort)
              : refused(chosen, response);
      return reply;
    } catch (ExecutionException | CancellationException | IOException failed) {
      failed(request, chosen, requireNonNullElse(failed.getCause(), failed));
      return null;
    } finally {
      if (!(reply instanceof Reply.Stream)) {
        abort.run();
        engines.remove(abort);
      }
    }
  }

  private void failed(Forwarded request, Assignment chosen, Throwable failure) {
    if (request.gone.aborted()) {
      chosen.refused();
      return;
    }
    chosen.failed();
    LOG.warn("request failed url={} reason=\"{}\"", chosen.engine(), failure.toString());
    engines.failed(chosen.engine(), failure);
  }

  /** Returns an answer that has begun. */
  private Reply answer(
      Forwarded request, Assignment chosen, HttpResponse<InputStream> response, Abort abort)
      throws IOException {
    String type = response.headers().firstValue("Content-Type").orElse("application/json");
    EngineAnswer body =
        new EngineAnswer(
            response.body(), type.startsWith("text/event-stream"), request.prompt.addsUsage());
    abort.ends(() -> close(body));
    body.awaitBeginning();
    chosen.began();
    return new Reply.Stream(type, output(request, chosen, body, abort));
  }

  private static void close(EngineAnswer body) {
    try {
      body.close();
    } catch (IOException closed) {
      LOG.debug("closed reason={}", closed.getMessage());
    }
  }

  private Reply.Output output(
      Forwarded request, Assignment chosen, EngineAnswer body, Abort abort) {
    return new Reply.Output() {
      @Override
      public void writeTo(OutputStream out) throws IOException {
        IOException failure = body.copyTo(out);
        if (failure == null) {
          chosen.answered(body.promptTokens(), body.cachedTokens());
        } else if (!request.gone.aborted()) {
          LOG.warn("answer broken url={} reason=\"{}\"", chosen.engine(), failure.toString());
          engines.failed(chosen.engine(), failure);
        }
      }

      @Override
      public void close() {
        RequestForwarder.close(body);
        chosen.ended();
        engines.remove(abort);
        clients.remove(request.request);
      }
    };
  }

  private static Reply refused(Assignment chosen, HttpResponse<InputStream> response) {
    chosen.refused();
    byte[] body;
    try (InputStream in = response.body()) {
      body = in.readNBytes(MOST_ERROR_BYTES);
    } catch (IOException broken) {
      return error(502, "the engine failed: " + broken.getMessage(), "failed");
    }
    String type = response.headers().firstValue("Content-Type").orElse("application/json");
    return new Reply.Whole(response.statusCode(), type, body, Map.of());
  }

  private Reply unavailable() {
    String reasons =
        selector.reports().stream()
            .map(each ->
                "'%s': %s"
                    .formatted(each.url(), each.reason().isEmpty() ? "it failed" : each.reason()))
            .collect(Collectors.joining("; "));
    return error(
        503,
        "no engine is available (%s); start one, or try again".formatted(reasons),
        "no_engine");
  }

  static Reply error(int status, String message, String code) {
    return Reply.json(status, ApiError.of(status, message, code));
  }
}
