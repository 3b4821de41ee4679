package dev.ebb.server.completion;

import com.typesafe.config.ConfigValueFactory;
import dev.ebb.host.admin.stats.EngineMetrics;
import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.TracingConfig;
import dev.ebb.host.config.engine.EngineConfig;
import dev.ebb.host.config.engine.EngineConfig.Role;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.sequence.PageExchange;
import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.metrics.Metrics;
import dev.ebb.host.openai.ApiError;
import dev.ebb.host.tracing.Tracing;
import dev.ebb.server.model.ModelDigest;
import dev.ebb.server.peer.PeerClient;
import dev.ebb.server.peer.PeerMetrics;
import dev.ebb.server.peer.PeerModel;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A running server. An {@link Ebb} owns the blocks of the KV cache, so that its prefix cache,
 * policies, admin API and metrics work as for any engine.
 */
public final class EngineServer implements AutoCloseable {

  private final Closer opened;
  private final HttpServer http;
  private final Ebb ebb;
  private final OpenedModel model;
  private final CompletionMetrics counters = new CompletionMetrics();

  private EngineServer(
      EngineBackend backend, ServerOptions options, Closer opened, Runnable onFailure) {
    this.opened = opened;
    // Options given by the user are checked first, so that messages name them.
    EbbConfig loaded =
        ConfigLoader.ofProcess().load(options.config(), options.overrides()).orThrow();
    model = backend.open(options, opened);
    PageBytes bytes = model.pages();
    EbbOptions prepared = model.with(ebbOptions(options, model));
    ebb =
        opened.add(Ebb.start(bytes == null ? prepared : prepared.withPages(bytes), model.device()));
    CompletionEngine<?> engine =
        opened.add(model.start(ebb, options.scheduler(), counters, onFailure));
    Tracing tracing = Tracing.start(loaded.tracing());
    ebb.policies()
        .config()
        .add(
            TracingConfig.SAMPLE_RATIO,
            (changed, cause) -> {
              if (tracing != null) {
                tracing.sample(changed.tracing().sampleRatio());
              }
            });
    PeerMetrics exchanged = new PeerMetrics();
    List<MetricSource> sources =
        new ArrayList<>(List.of(new EngineMetrics(ebb), counters, exchanged));
    if (tracing != null) {
      sources.add(opened.add(tracing));
    }
    Metrics metrics = opened.add(new Metrics(sources));
    EngineConfig config = loaded.engine();
    AccessTokens keys = options.http().tokens();
    Tenancy tenancy = new Tenancy(options.name(), options.sharePrefixes(), keys.haveOwners());
    PageExchange pages = ebb.pages(bytes);
    if (pages != null) {
      opened.add(pages);
    }
    PeerModel own =
        new PeerModel(
            options.name(),
            ModelDigest.of(options.model()),
            pages == null ? null : pages.format(),
            config.role(),
            UUID.randomUUID().toString());
    PeerClient peers = opened.add(new PeerClient(config.peerKey()));
    URI prefill = config.prefill();
    if (pages == null && (prefill != null || config.role() != Role.BOTH)) {
      throw new UserError(
          "ebb.engine: the role '%s' and prefill '%s' need blocks that can be copied, and those of this model cannot; leave both out"
              .formatted(Setting.name(config.role()), prefill == null ? "" : prefill));
    } else if (prefill != null && config.role() == Role.PREFILL) {
      throw new UserError(
          "ebb.engine.prefill = '%s': an engine with the role 'prefill' computes prompts itself; leave it out"
              .formatted(prefill));
    }
    CompletionRoutes routes =
        new CompletionRoutes(
            tenancy,
            model.model(),
            engine,
            model.contextTokens(),
            options.scheduler().maxQueued(),
            options.priorities(),
            tracing,
            metrics,
            config.role(),
            prefill == null || pages == null
                ? null
                : new PrefillPeer(prefill, peers, engine, pages, own, exchanged));
    PeerRoutes peerRoutes =
        new PeerRoutes(
            config,
            keys.owners().isEmpty(),
            engine,
            routes,
            pages,
            own,
            tenancy,
            model.contextTokens(),
            peers,
            exchanged);
    ebb.view().blocks().prompts(routes);
    http =
        opened.add(
            HttpServer.open(
                options.http(),
                peerRoutes.addTo(routes.routes()),
                (status, message) -> ApiError.of(status, message, null)));
  }

  /**
   * Starts a server.
   *
   * @param onFailure called if it ends by itself
   * @throws UserError if the model or the configuration is wrong, the cells do not fit, or the
   *     address cannot be used
   */
  public static EngineServer start(
      EngineBackend backend, ServerOptions options, Runnable onFailure) {
    Closer opened = new Closer();
    try {
      return new EngineServer(backend, options, opened, onFailure);
    } catch (Throwable failed) {
      opened.close();
      throw failed;
    }
  }

  private static EbbOptions ebbOptions(ServerOptions options, OpenedModel model) {
    StringBuilder settings = new StringBuilder("ebb.pool.size = %d B\n".formatted(model.bytes()));
    for (ConfigOverride override : options.overrides()) {
      settings
          .append(override.key())
          .append(" = ")
          .append(ConfigValueFactory.fromAnyRef(override.value()).render())
          .append('\n');
    }
    EbbOptions ebb =
        EbbOptions.of(model.layout(), Path.of(System.getProperty("ebb.home", "")))
            .withSettings(settings.toString());
    Path file = file(options.config());
    return file == null ? ebb : ebb.withFile(file);
  }

  private static @Nullable Path file(@Nullable Path given) {
    Path usual = Path.of(ConfigLoader.DEFAULT_FILE);
    return given != null || !Files.exists(usual) ? given : usual;
  }

  /** Returns the address for clients, with the port in use. */
  public InetSocketAddress address() {
    return http.address();
  }

  /** Returns {@code http} or {@code https}. */
  public String scheme() {
    return http.scheme();
  }

  /** Returns the accounts of the cells, with the policy runtime. */
  public Ebb ebb() {
    return ebb;
  }

  /** Returns the counters of computed tokens. */
  public CompletionMetrics counters() {
    return counters;
  }

  /** Returns the model. */
  public OpenedModel model() {
    return model;
  }

  @Override
  public void close() {
    opened.close();
  }
}
