package dev.ebb.host.cli;

import dev.ebb.host.admin.EngineDocument;
import dev.ebb.host.admin.EvictionDocument;
import dev.ebb.host.admin.ProcessDocument;
import dev.ebb.host.admin.StatsDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ebb eviction stats}: summarises the last removed entries by cause. */
@Command(
    name = "stats",
    description =
        "Sums up the last removed entries by cause: size, age, uses; and how long the passes"
            + " took",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb eviction stats", "  ebb eviction stats --last 10000"})
final class EvictionStatsCommand extends ServerCommand {

  private static final int MOST = 10_000;

  @Option(
      names = "--last",
      paramLabel = "N",
      defaultValue = "1000",
      description = "The last N removed entries; by default 1000")
  private int last;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  EvictionStatsCommand() {}

  /** With JSON, writes the records that the sums are made of. */
  @Override
  public Integer call() {
    if (last < 1 || last > MOST) {
      throw wrong("--last: '%d' must be 1 to %d".formatted(last, MOST));
    }
    try (AdminClient client = open()) {
      Answer<EvictionDocument.Log> log =
          client.get("/api/v1/evictions?tail=" + last, EvictionDocument.Log.class);
      if (wantsJson()) {
        print(log.text());
      } else {
        ProcessDocument stats = client.get("/api/v1/stats", ProcessDocument.class).document();
        List<String> lines = new ArrayList<>(sinceStart(stats));
        lines.addAll(EvictionSummary.lines(log.document()));
        print(lines);
      }
    }
    return 0;
  }

  private static List<String> sinceStart(ProcessDocument stats) {
    return List.of(
        "policy %s; %s of the pool in use, evicted above %s down to %s"
            .formatted(
                Format.text(stats.policy().name()),
                Format.percent(stats.pool().occupancy()),
                Format.percent(stats.pool().threshold()),
                Format.percent(stats.pool().target())),
        switch (stats) {
          case StatsDocument values ->
              "since the start: %s evicted, %s expired, %s not kept for want of room"
                  .formatted(
                      Format.count(values.traffic().evicted()),
                      Format.count(values.traffic().expired()),
                      Format.count(values.traffic().notAdmitted()));
          case EngineDocument engine ->
              "since the start: %s evicted".formatted(Format.count(engine.evictions().entries()));
        });
  }
}
