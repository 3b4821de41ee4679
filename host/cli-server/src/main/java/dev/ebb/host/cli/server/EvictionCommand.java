package dev.ebb.host.cli.server;

import static java.util.Comparator.comparingDouble;

import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.http.Json;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTemplate;
import java.util.Collections;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The group {@code ebb eviction}. */
@Command(name = "eviction", description = "Shows how a running Ebb evicts")
public final class EvictionCommand extends CommandGroup {

  private static final int MOST = 10_000;

  private static final TextTemplate<ProcessDocument> POLICY =
      TextTemplate.of(
          ProcessDocument.class,
          "policy {policy.name}; {pool.occupancy:percent} of the pool in use,"
              + " {eviction}{ofPartitions}",
          new Computed<>("eviction", EvictionCommand::starts),
          new Computed<>("ofPartitions", EvictionCommand::ofPartitions));

  EvictionCommand() {
    super("stats");
  }

  @Command(
      description =
          "Sums up the evictions since the start, and the last removed entries and passes by cause",
      footer = {"  ebb eviction stats", "  ebb eviction stats --last 10000 --json"})
  int stats(
      @Mixin ServerOptions server,
      @Option(
              names = "--last",
              paramLabel = "N",
              defaultValue = "1000",
              description = "The last N removed entries; by default 1000")
          int last) {
    server.between("--last", last, 1, MOST);
    try (AdminClient client = server.open()) {
      ProcessDocument stats = client.get("/api/v1/stats", ProcessDocument.class).document();
      EvictionStatistics statistics =
          EvictionStatistics.of(
              stats,
              client.get("/api/v1/evictions?tail=" + last, EvictionDocument.Log.class).document());
      if (server.wantsJson()) {
        server.print(Json.text(statistics));
      } else {
        server.print(POLICY.lines(stats));
        server.print(statistics.lines());
      }
      return 0;
    }
  }

  /** Returns when evictions start and stop. */
  static String starts(ProcessDocument stats) {
    ProcessDocument.Pool pool = stats.pool();
    return pool.onDemand()
        ? "evicted when a request needs memory"
        : "evicted above %s down to %s"
            .formatted(Format.percent(pool.threshold()), Format.percent(pool.target()));
  }

  /** Thresholds apply to each partition, so that one may evict while the pool is half empty. */
  private static String ofPartitions(ProcessDocument stats) {
    if (stats.pool().onDemand() || stats.partitions().size() < 2) {
      return "";
    }
    ProcessDocument.Partition fullest =
        Collections.max(stats.partitions(), comparingDouble(ProcessDocument.Partition::occupancy));
    return " of each of %d partitions; the fullest, '%s', is %s full"
        .formatted(
            stats.partitions().size(),
            Format.text(fullest.name()),
            Format.percent(fullest.occupancy()));
  }
}
