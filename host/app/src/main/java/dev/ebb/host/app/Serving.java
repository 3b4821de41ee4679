package dev.ebb.host.app;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.ProvidesIntoOptional;
import dev.ebb.host.admin.AdminModule;
import dev.ebb.host.admin.AdminServer;
import dev.ebb.host.cluster.ClusterModule;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.cluster.routing.Route;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.TracingConfig;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Operation;
import dev.ebb.host.kvevents.KvEventPublisher;
import dev.ebb.host.kvevents.KvEventsModule;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.resp.RespModule;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.runtime.RuntimeModule;
import dev.ebb.host.runtime.SiteConfigAppliers;
import dev.ebb.host.sequences.SequenceSettings;
import dev.ebb.host.sequences.SequencesModule;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RequestRouter;
import dev.ebb.host.store.StoreModule;
import dev.ebb.host.tier.DiskStore;
import dev.ebb.host.tier.TierModule;
import dev.ebb.host.tracing.Tracing;
import dev.ebb.host.tracing.TracingModule;
import dev.ebb.host.wiring.Host;
import jakarta.inject.Inject;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A process that serves clients. */
public final class Serving implements AutoCloseable {

  private final Closer opened;
  private final ObjectStore store;
  private final PolicyRuntime runtime;
  private final @Nullable KvEventPublisher kvEvents;
  private final RespServer server;
  private final @Nullable AdminServer admin;
  private final @Nullable ClusterView cluster;

  @Inject
  Serving(
      Closer opened,
      ObjectStore store,
      PolicyRuntime runtime,
      // Before the server, so that no key is stored unseen.
      Optional<KvEventPublisher> kvEvents,
      RespServer server,
      Optional<AdminServer> admin,
      Optional<ClusterView> cluster) {
    this.opened = opened;
    this.store = store;
    this.runtime = runtime;
    this.kvEvents = kvEvents.orElse(null);
    this.server = server;
    this.admin = admin.orElse(null);
    this.cluster = cluster.orElse(null);
    cluster.ifPresent(
        node -> node.serving(server.address(), adminAddress(), () -> server.stats().commands()));
    admin.ifPresent(AdminServer::started);
  }

  /** What else changes in a process that serves clients when its configuration does. */
  private static final class ServingModule implements Module {

    @Override
    public void configure(Binder binder) {
      binder.bind(Serving.class).in(Singleton.class);
    }

    /** Ranks the nodes of a cluster for clients of the RESP server. */
    @ProvidesIntoOptional(ProvidesIntoOptional.Type.ACTUAL)
    RequestRouter router(Optional<ClusterView> cluster) {
      return cluster
          .<RequestRouter>map(view ->
              (keys, chunkTokens) ->
                  view.route(keys, chunkTokens)
                      .thenApply(routes -> routes.stream().map(ServingModule::ranked).toList()))
          .orElse(RequestRouter.NONE);
    }

    private static RequestRouter.RankedNode ranked(Route route) {
      return new RequestRouter.RankedNode(
          route.node().name(),
          route.node().resp(),
          route.prefixKeys(),
          route.tokensSaved(),
          route.bytesToMove(),
          route.load());
    }

    @Provides
    SiteConfigAppliers appliers(
        ObjectStore store,
        Optional<DiskStore> disk,
        SequenceSettings sequences,
        Optional<Tracing> tracing) {
      return sequences.beside(
          new SiteConfigAppliers(
              Map.of(
                  EvictionConfig.TTL,
                  (changed, cause) -> store.idle(changed.eviction().ttl()),
                  DiskTierConfig.ADMISSION,
                  (changed, cause) ->
                      disk.ifPresent(tier -> tier.admit(changed.diskTier().admission())),
                  EvictionConfig.PIN_BUDGET,
                  (changed, cause) -> store.pinBudget(changed.eviction().pinBudget()),
                  ServerConfig.LOOKUP_LEASE,
                  (changed, cause) -> store.lookupLease(changed.server().lookupLease()),
                  TracingConfig.SAMPLE_RATIO,
                  (changed, cause) ->
                      tracing.ifPresent(spans -> spans.sample(changed.tracing().sampleRatio())),
                  ServerConfig.MODELS,
                  (changed, cause) -> store.knownModels().configure(changed.server().models())),
              () -> {}));
    }
  }

  /** Opens the pool, activates the policy and listens. */
  public static Serving start(Host host) {
    return start(host, new ClusterModule(host.config()));
  }

  /**
   * Opens the pool, activates the policy, joins a cluster, and listens.
   *
   * @param host loaded and verified; outlives the result
   * @param cluster binds {@code Optional<ClusterView>}
   * @throws UserError if the pool does not fit, the policy does not exist, or the address cannot be
   *     used
   */
  public static Serving start(Host host, Module cluster) {
    EbbConfig config = host.config();
    return host.wire(
        Serving.class,
        new Closer(),
        new StoreModule(),
        new RuntimeModule(),
        new KvEventsModule(),
        new TracingModule(),
        cluster,
        new TierModule(config),
        new SequencesModule(config),
        new RespModule(RespModule.options(config)),
        new AdminModule(AdminServer.options(config.admin(), "--admin-port")),
        new ServingModule());
  }

  public InetSocketAddress address() {
    return server.address();
  }

  public boolean encrypted() {
    return server.encrypted();
  }

  /** Returns the path of the Unix domain socket for clients; null if there is none. */
  public @Nullable Path unixSocket() {
    return server.unixSocket();
  }

  /** Returns the address of the publisher of KV events; null if that is disabled. */
  public @Nullable String kvEventsEndpoint() {
    return kvEvents == null ? null : kvEvents.endpoint();
  }

  /** Returns the address for operators, with the port in use; null without an admin server. */
  public @Nullable InetSocketAddress adminAddress() {
    return admin == null ? null : admin.address();
  }

  /** Returns {@code http} or {@code https}: how operators reach the admin server. */
  public String adminScheme() {
    return admin == null ? "http" : admin.scheme();
  }

  public List<Operation> adminOperations() {
    return admin == null ? List.of() : admin.operations();
  }

  /** Returns the cluster that this process is a node of; null if it is on its own. */
  public @Nullable ClusterView cluster() {
    return cluster;
  }

  public long poolBytes() {
    return store.stats().capacityBytes();
  }

  /** Returns whether clients of the RESP server are answered within a time. */
  public boolean answers(Duration within) {
    return server.answers(within);
  }

  /** Returns what is wrong with the records of the cache; null if nothing is. */
  public @Nullable String damage() {
    return runtime.damage();
  }

  public String policy() {
    return runtime.policy();
  }

  /** Accepts no more clients, and waits for the connected ones. The admin server keeps running. */
  public void drain(Duration grace) {
    server.drain(grace);
  }

  @Override
  public void close() {
    // Operators can watch until the last client has disconnected.
    server.close();
    opened.close();
  }
}
