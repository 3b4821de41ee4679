package dev.ebb.router.server;

import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.metrics.Metrics;
import dev.ebb.host.openai.ApiError;
import dev.ebb.host.openai.ModelList;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.host.units.Percent;
import dev.ebb.router.choice.EngineSelector;
import dev.ebb.router.choice.RoutedEngine;
import dev.ebb.router.choice.RouterOptions;
import dev.ebb.router.choice.RoutingPolicy;
import dev.ebb.router.engine.EngineClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A server with the OpenAI API in front of engines. */
public final class RouterServer implements AutoCloseable {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String CHATS = "/v1/chat/completions";

  private final Closer opened = new Closer();
  private final EngineSelector selector;
  private final EngineClient engines;
  private final RoutingPolicy policy;
  private final HttpServer http;

  /** The document of {@code GET /status}. */
  public record Status(RoutingPolicy policy, List<RoutedEngine.Report> engines) {}

  /**
   * Starts a server, after each engine was asked once whether it takes requests.
   *
   * @param urls the addresses of the engines
   * @param http the address to listen on, and the keys of clients, which engines accept too
   * @param interval the time between two checks of an engine
   * @param sharePrefixes whether tenants share the cached prefixes of the engines
   */
  public RouterServer(
      List<String> urls,
      RouterOptions options,
      HttpOptions http,
      Duration interval,
      boolean sharePrefixes) {
    policy = options.policy();
    selector = new EngineSelector(urls, options, System::nanoTime);
    String key = http.tokens().owners().keySet().stream().findFirst().orElse(null);
    engines = opened.add(new EngineClient(selector, key, interval));
    ClientWatch clients = opened.add(new ClientWatch());
    Metrics metrics = opened.add(new Metrics(List.of(new RouterMetrics(selector))));
    RequestForwarder forwarder = new RequestForwarder(selector, engines, clients, sharePrefixes);
    try {
      this.http =
          opened.add(
              HttpServer.open(
                  http,
                  routes(forwarder, metrics),
                  (status, message) -> ApiError.of(status, message, null)));
    } catch (RuntimeException refused) {
      opened.close();
      throw refused;
    }
  }

  private Routes routes(RequestForwarder forwarder, Metrics metrics) {
    return new Routes("docs/engine.md")
        .add(
            Operation.post(COMPLETIONS, Map.class, "completes a prompt").question(),
            request -> forwarder.forward(request, COMPLETIONS, false))
        .add(
            Operation.post(CHATS, Map.class, "answers a chat").question(),
            request -> forwarder.forward(request, CHATS, true))
        .add(
            Operation.get("/v1/models", Map.class, "the models of all engines"),
            request -> json(ModelList.of(engines.models().toArray(ModelList.Model[]::new))))
        .add(
            Operation.get("/v1/models/{id}", Map.class, "a model, by its name"),
            request -> model(Percent.decodeText(request.path("id"))))
        .add(
            Operation.get("/health", Map.class, "200 while an engine takes requests").open(),
            request -> health())
        .add(Operation.get("/health/ready", Map.class, "the same").open(), request -> health())
        .document(Operation.get("/status", Status.class, "the engines"), request -> status())
        .add(
            Operation.page("/metrics", Metrics.TYPE, "metrics in Prometheus text format"),
            metrics::reply);
  }

  private static Reply json(Object document) {
    return Reply.text("application/json", OpenAiJson.text(document) + "\n");
  }

  private Reply model(String wanted) {
    return engines.models().stream()
        .filter(each -> wanted.equals(each.id()))
        .findFirst()
        .map(RouterServer::json)
        .orElseGet(() ->
            RequestForwarder.error(
                404, "no engine serves the model '%s'".formatted(wanted), "model_not_found"));
  }

  private Reply health() {
    return selector.reports().stream().anyMatch(each -> each.state() == RoutedEngine.State.UP)
        ? Reply.json(Map.of("status", "ok"))
        : Reply.json(503, Map.of("status", "no engine is available"));
  }

  /** Returns the engines with their counters. */
  public Status status() {
    return new Status(policy, selector.reports());
  }

  /** Returns the address for clients, with the port in use. */
  public InetSocketAddress address() {
    return http.address();
  }

  /** Returns {@code http} or {@code https}. */
  public String scheme() {
    return http.scheme();
  }

  @Override
  public void close() {
    opened.close();
  }
}
