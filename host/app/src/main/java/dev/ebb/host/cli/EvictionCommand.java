package dev.ebb.host.cli;

import static java.util.Comparator.comparingDouble;

import dev.ebb.host.admin.EngineDocument;
import dev.ebb.host.admin.EvictionDocument;
import dev.ebb.host.admin.ProcessDocument;
import dev.ebb.host.admin.StatsDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The group {@code ebb eviction}. */
@Command(name = "eviction", description = "Shows how a running Ebb evicts")
final class EvictionCommand extends CommandGroup {

  private static final int MOST = 10_000;

  EvictionCommand() {
    super("stats");
  }

  /** With JSON, writes the records that the sums are made of. */
  @Command(
      description =
          "Sums up the last removed entries by cause: size, age, uses; and how long the passes"
              + " took",
      footer = {"  ebb eviction stats", "  ebb eviction stats --last 10000"})
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
      Answer<EvictionDocument.Log> log =
          client.get("/api/v1/evictions?tail=" + last, EvictionDocument.Log.class);
      return server.show(
          log,
          document -> {
            List<String> lines =
                new ArrayList<>(
                    sinceStart(client.get("/api/v1/stats", ProcessDocument.class).document()));
            lines.addAll(EvictionSummary.lines(document));
            return lines;
          });
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

  private static List<String> sinceStart(ProcessDocument stats) {
    return List.of(
        "policy %s; %s of the pool in use, evicted above %s down to %s%s"
            .formatted(
                Format.text(stats.policy().name()),
                Format.percent(stats.pool().occupancy()),
                Format.percent(stats.pool().threshold()),
                Format.percent(stats.pool().target()),
                ofPartitions(partitions(stats))),
        switch (stats) {
          case StatsDocument values ->
              "since the start: %s evicted, %s expired, %s not stored because they did not fit"
                  .formatted(
                      Format.count(values.traffic().evicted()),
                      Format.count(values.traffic().expired()),
                      Format.count(values.traffic().notAdmitted()));
          case EngineDocument engine ->
              "since the start: %s evicted".formatted(Format.count(engine.evictions().entries()));
        });
  }
}
