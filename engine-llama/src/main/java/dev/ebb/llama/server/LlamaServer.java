package dev.ebb.llama.server;

import com.typesafe.config.ConfigValueFactory;
import dev.ebb.host.admin.stats.EngineMetrics;
import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.metrics.Metrics;
import dev.ebb.host.openai.ApiError;
import dev.ebb.host.tracing.Tracing;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A running server. An {@link Ebb} without bytes of its own accounts for llama.cpp's cells, so that
 * its prefix cache, policies, admin API and metrics work as for any engine.
 */
final class LlamaServer implements AutoCloseable {

  private final Closer opened;
  private final HttpServer http;
  private final Ebb ebb;
  private final LlamaContext context;
  private final SequenceCells cells;
  private final LlamaEngine engine;
  private final CompletionMetrics counters;
  private final int contextTokens;

  private LlamaServer(LlamaServerOptions options, Closer opened, Runnable onFailure) {
    this.opened = opened;
    // Options given by the user are checked first, so that messages name them.
    EbbConfig loaded =
        ConfigLoader.ofProcess().load(options.config(), options.overrides()).orThrow();
    LlamaModel model = opened.add(LlamaModel.openAny(options.model()));
    ServerMemory memory = ServerMemory.open(model, options, opened);
    context = memory.context();
    cells = memory.cells();
    int batch = options.scheduler().maxBatchedTokens();
    ebb = opened.add(Ebb.start(ebbOptions(options, loaded, memory), memory.device()));
    counters = new CompletionMetrics();
    engine =
        opened.add(
            new LlamaEngine(
                model, context, batch, ebb, cells, options.scheduler(), counters, onFailure));
    contextTokens = memory.contextTokens();
    Tracing tracing = Tracing.start(loaded.tracing());
    List<MetricSource> sources = new ArrayList<>(List.of(new EngineMetrics(ebb), counters));
    if (tracing != null) {
      sources.add(opened.add(tracing));
    }
    Metrics metrics = opened.add(new Metrics(sources));
    CompletionRoutes routes =
        new CompletionRoutes(
            new Tenancy(
                options.name(), options.sharePrefixes(), options.http().tokens().haveOwners()),
            model,
            engine,
            contextTokens,
            options.priorities(),
            tracing,
            metrics);
    ebb.view().blocks().prompts(routes::read);
    http =
        opened.add(
            HttpServer.open(
                options.http(),
                routes.routes(),
                (status, message) -> ApiError.of(status, message, null)));
  }

  /**
   * Starts a server.
   *
   * @param onFailure called if it ends by itself
   * @throws UserError if the model or the configuration is wrong, the cells do not fit, or the
   *     address cannot be used
   */
  static LlamaServer start(LlamaServerOptions options, Runnable onFailure) {
    Closer opened = new Closer();
    try {
      return new LlamaServer(options, opened, onFailure);
    } catch (Throwable failed) {
      opened.close();
      throw failed;
    }
  }

  private static EbbOptions ebbOptions(
      LlamaServerOptions options, EbbConfig config, ServerMemory memory) {
    StringBuilder settings = new StringBuilder("ebb.pool.size = %d B\n".formatted(memory.bytes()));
    for (ConfigOverride override : options.overrides()) {
      settings
          .append(override.key())
          .append(" = ")
          .append(ConfigValueFactory.fromAnyRef(override.value()).render())
          .append('\n');
    }
    EbbOptions ebb =
        EbbOptions.of(memory.layout(), Path.of(System.getProperty("ebb.home", "")))
            .withState(memory.stateBytes())
            .withSettings(settings.toString());
    Supplier<PageBytes> pages = memory.pages();
    boolean tiers = config.diskTier().isOn() || config.remoteTier().server() != null;
    if (tiers && pages != null) {
      ebb = ebb.withPages(pages.get());
    }
    Path file = file(options.config());
    return file == null ? ebb : ebb.withFile(file);
  }

  private static @Nullable Path file(@Nullable Path given) {
    Path usual = Path.of(ConfigLoader.DEFAULT_FILE);
    return given != null || !Files.exists(usual) ? given : usual;
  }

  /** Returns the address for clients, with the port in use. */
  InetSocketAddress address() {
    return http.address();
  }

  /** Returns {@code http} or {@code https}. */
  String scheme() {
    return http.scheme();
  }

  /** Returns the accounts of the cells, with the policy runtime. */
  Ebb ebb() {
    return ebb;
  }

  /** Returns the most tokens of prompt and answer. */
  int contextTokens() {
    return contextTokens;
  }

  LlamaContext context() {
    return context;
  }

  SequenceCells cells() {
    return cells;
  }

  CompletionMetrics counters() {
    return counters;
  }

  LlamaEngine engine() {
    return engine;
  }

  @Override
  public void close() {
    opened.close();
  }
}
