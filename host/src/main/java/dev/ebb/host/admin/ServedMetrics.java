package dev.ebb.host.admin;

import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.objects.StoreStats;
import dev.ebb.host.resp.RespStats;

/** The numbers of a serving process as metrics. */
final class ServedMetrics implements MetricSource {

  private final Served served;

  ServedMetrics(Served served) {
    this.served = served;
  }

  @Override
  public void write(MetricSink sink) {
    store(sink, served.store().stats());
    resp(sink, served.resp().stats());
  }

  private static void store(MetricSink sink, StoreStats store) {
    sink.count(Metric.HITS, store.hits());
    sink.count(Metric.MISSES, store.misses());
    sink.count(Metric.CREATIONS, store.stored());
    sink.count(Metric.EVICTIONS, store.evicted());
    sink.count(Metric.EXPIRATIONS, store.expired());
    sink.count(Metric.NOT_ADMITTED, store.notAdmitted());
    sink.count(Metric.KEYS, store.keys());
    sink.count(Metric.USED_BYTES, store.usedBytes());
    sink.count(Metric.CAPACITY_BYTES, store.capacityBytes());
    sink.put(Metric.OCCUPANCY, (double) store.usedBytes() / store.capacityBytes());
    sink.count(Metric.POLICY, 1, store.policy());
  }

  private static void resp(MetricSink sink, RespStats resp) {
    sink.count(Metric.CONNECTIONS, resp.connections());
    sink.count(Metric.CONNECTIONS_OPENED, resp.connectionsEver());
    sink.count(Metric.COMMANDS, resp.commands());
    sink.count(Metric.READY, resp.accepting() ? 1 : 0);
  }
}
