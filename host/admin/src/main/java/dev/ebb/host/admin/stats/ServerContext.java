package dev.ebb.host.admin.stats;

import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.kvevents.KvEventPublisher;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.resp.RespServer;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.sequences.SequenceServer;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.tier.DiskStore;
import dev.ebb.host.wiring.Host;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a server that operators can inspect.
 *
 * @param kvEvents publishes KV events; null if that is disabled
 * @param disk the disk tier; null if there is none
 * @param sequences the sequences of engines in other processes; null if that is disabled
 * @param cluster the cluster that this node belongs to; null if that is disabled
 * @param metrics those of modules above this one
 */
public record ServerContext(
    Host host,
    ObjectStore store,
    RespServer resp,
    PolicyRuntime runtime,
    @Nullable KvEventPublisher kvEvents,
    @Nullable DiskStore disk,
    @Nullable SequenceServer sequences,
    @Nullable ClusterView cluster,
    Set<MetricSource> metrics) {

  public ServerContext {
    metrics = Set.copyOf(metrics);
  }

  /** Returns the engine of sequences; null before an engine has stated its model. */
  public @Nullable Ebb ebb() {
    return sequences == null ? null : sequences.ebb();
  }

  /** Returns the sequences' statistics; null before an engine has stated its model. */
  @Nullable EngineStats engine() {
    Ebb engine = ebb();
    return engine == null ? null : engine.stats();
  }
}
