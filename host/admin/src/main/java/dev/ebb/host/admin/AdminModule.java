package dev.ebb.host.admin;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import dev.ebb.host.admin.stats.ServerContext;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.config.server.AdminConfig.AdminChoice;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.kvevents.KvEventPublisher;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.limits.MemoryBudget;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.sequences.SequenceServer;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.tier.DiskStore;
import dev.ebb.host.wiring.Host;
import java.util.Optional;
import java.util.Set;

/** Binds the admin server of a process that serves clients, if the configuration enables it. */
public final class AdminModule implements Module {

  /** Enough to read the largest body. */
  private static final long LARGEST_BODY = 3 << 20;

  private final HttpOptions options;

  public AdminModule(HttpOptions options) {
    this.options = options;
  }

  @Override
  public void configure(Binder binder) {
    Multibinder.newSetBinder(binder, MetricSource.class);
  }

  @Provides
  @Singleton
  Optional<AdminServer> server(
      Host host,
      ObjectStore store,
      RespServer resp,
      PolicyRuntime runtime,
      Optional<KvEventPublisher> kvEvents,
      Optional<DiskStore> disk,
      Optional<SequenceServer> sequences,
      Optional<ClusterView> cluster,
      Set<MetricSource> metrics,
      Closer opened) {
    if (host.config().admin().enabled() == AdminChoice.FALSE) {
      return Optional.empty();
    }
    AdminApi api =
        AdminApi.of(
            new ServerContext(
                host,
                store,
                resp,
                runtime,
                kvEvents.orElse(null),
                disk.orElse(null),
                sequences.orElse(null),
                cluster.orElse(null),
                metrics));
    return Optional.of(opened.add(AdminServer.open(options, api, part(resp.clientMemory()))));
  }

  /** Clients of the cache would otherwise be disconnected because of those of this server. */
  private static MemoryBudget part(MemoryBudget clients) {
    return clients.part(Math.max(LARGEST_BODY, clients.limitBytes() / 4));
  }
}
