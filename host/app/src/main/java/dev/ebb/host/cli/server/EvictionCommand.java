package dev.ebb.host.cli.server;

import static java.util.Comparator.comparingDouble;

import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.http.Json;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The group {@code ebb eviction}. */
@Command(name = "eviction", description = "Shows how a running Ebb evicts")
public final class EvictionCommand extends CommandGroup {

  private static final int MOST = 10_000;

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
        server.print(policy(stats));
        server.print(statistics.lines());
      }
      return 0;
    }
  }

  private record Partition(String name, double occupancy) {}

  private static List<Partition> partitions(ProcessDocument stats) {
    return switch (stats) {
      case StatsDocument values ->
          values.partitions().stream()
              .map(each ->
                  new Partition(each.name(), (double) each.usedBytes() / each.capacityBytes()))
              .toList();
      case EngineDocument engine ->
          engine.partitions().stream()
              .map(each ->
                  new Partition(each.name(), (double) each.usedBytes() / each.capacityBytes()))
              .toList();
    };
  }

  /** Thresholds apply to each partition, so that one may evict while the pool is half empty. */
  private static String ofPartitions(List<Partition> partitions) {
    if (partitions.size() < 2) {
      return "";
    }
    Partition fullest = Collections.max(partitions, comparingDouble(Partition::occupancy));
    return " of each of %d partitions; the fullest, '%s', is %s full"
        .formatted(
            partitions.size(), Format.text(fullest.name()), Format.percent(fullest.occupancy()));
  }

  private static String policy(ProcessDocument stats) {
    return "policy %s; %s of the pool in use, evicted above %s down to %s%s"
        .formatted(
            Format.text(stats.policy().name()),
            Format.percent(stats.pool().occupancy()),
            Format.percent(stats.pool().threshold()),
            Format.percent(stats.pool().target()),
            ofPartitions(partitions(stats)));
  }
}
