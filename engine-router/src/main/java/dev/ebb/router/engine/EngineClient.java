package dev.ebb.router.engine;

import dev.ebb.host.errors.ConnectFailures;
import dev.ebb.host.openai.ModelList;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.router.choice.EngineFigures;
import dev.ebb.router.choice.EngineSelector;
import dev.ebb.router.choice.RoutedEngine;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** Sends requests to engines, and watches whether they take some. */
public final class EngineClient implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EngineClient.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(10);

  private final EngineSelector selector;
  private final @Nullable String key;
  private final Duration interval;
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_TIMEOUT)
          .build();
  private final ExecutorService checks = Executors.newVirtualThreadPerTaskExecutor();

  private final Map<Abort, RoutedEngine> requests = new ConcurrentHashMap<>();

  /** The models of each engine, for clients. */
  private final Map<RoutedEngine, List<ModelList.Model>> models = new ConcurrentHashMap<>();

  /**
   * Checks each engine once, and then watches it.
   *
   * @param key the API key for requests of the router itself; null for none
   * @param interval the time between two checks of an engine
   */
  public EngineClient(EngineSelector selector, @Nullable String key, Duration interval) {
    this.selector = selector;
    this.key = key;
    this.interval = interval;
    CompletableFuture.allOf(
            selector.engines().stream()
                .map(engine -> CompletableFuture.runAsync(() -> check(engine), checks))
                .toArray(CompletableFuture[]::new))
        .join();
    selector.engines().forEach(engine -> checks.execute(() -> watch(engine)));
  }

  private void watch(RoutedEngine engine) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Thread.sleep(interval);
        check(engine);
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks an engine how it is. */
  public void check(RoutedEngine engine) {
    try {
      int health = get(engine, "/health").statusCode();
      if (health == 200 || health == 503) {
        EngineFigures figures = figures(engine);
        selector.up(engine, health == 503, names(engine), figures);
      } else {
        down(engine, "GET /health returns the status " + health);
      }
    } catch (IOException failed) {
      if (!checks.isShutdown()) {
        down(engine, ConnectFailures.reason(failed));
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  private EngineFigures figures(RoutedEngine engine) throws InterruptedException {
    try {
      HttpResponse<String> metrics = get(engine, "/metrics");
      return metrics.statusCode() == 200 ? EngineFigures.of(metrics.body()) : EngineFigures.UNKNOWN;
    } catch (IOException busy) {
      return EngineFigures.UNKNOWN;
    }
  }

  private Set<String> names(RoutedEngine engine) throws InterruptedException {
    try {
      models.put(engine, models(get(engine, "/v1/models")));
    } catch (IOException busy) {
      LOG.debug("models unknown url={} reason={}", engine, busy.getMessage());
    }
    return models.getOrDefault(engine, List.of()).stream()
        .map(ModelList.Model::id)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  private static List<ModelList.Model> models(HttpResponse<String> response) {
    try {
      ModelList list = OpenAiJson.answer(response.body(), ModelList.class);
      return list.data() == null ? List.of() : list.data();
    } catch (JacksonException other) {
      return List.of();
    }
  }

  /** Returns the models of all engines that were reachable, each once. */
  public List<ModelList.Model> models() {
    Map<String, ModelList.Model> all = new TreeMap<>();
    for (List<ModelList.Model> each : models.values()) {
      each.forEach(model -> all.putIfAbsent(String.valueOf(model.id()), model));
    }
    return List.copyOf(all.values());
  }

  private void down(RoutedEngine engine, String reason) {
    if (selector.down(engine, reason)) {
      LOG.warn("engine down url={} reason=\"{}\"", engine, reason);
    }
    requests.forEach((request, of) -> {
      if (of == engine) {
        request.run();
      }
    });
  }

  /** Aborts a request if its engine cannot be reached, until {@link #remove}. */
  public Abort add(RoutedEngine engine) {
    Abort abort = new Abort();
    requests.put(abort, engine);
    return abort;
  }

  /** Ends what {@link #add} began. */
  public void remove(Abort request) {
    requests.remove(request);
  }

  /** Reports that a request failed. The engine is down if it cannot be reached. */
  public void failed(RoutedEngine engine, Throwable failure) {
    if (failure instanceof ConnectException) {
      down(engine, ConnectFailures.reason(failure));
    } else if (selector.isUp(engine)) {
      check(engine);
    }
  }

  private HttpResponse<String> get(RoutedEngine engine, String path)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(engine.url() + path)).timeout(HEALTH_TIMEOUT);
    if (key != null) {
      request.header("Authorization", "Bearer " + key);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** Sends a request. Cancelling the future, or closing the body, ends the request. */
  public CompletableFuture<HttpResponse<InputStream>> post(
      RoutedEngine engine, String path, Map<String, String> headers, byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(engine.url() + path))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    return client.sendAsync(request.build(), BodyHandlers.ofInputStream());
  }

  @Override
  public void close() {
    checks.shutdownNow();
    client.shutdownNow();
  }
}
