package dev.ebb.host.cli.server;

import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.Terminal;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ebb stats}: shows a running Ebb on one screen. */
@Command(
    name = "stats",
    description = "Shows a running Ebb on one screen: memory, hits, evictions, tenants, clients",
    footer = {
      "  ebb stats",
      "  ebb stats --watch 5",
      "  ebb stats --url http://cache-3:9090 --json"
    })
public final class StatsCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  private static final String CLEAR = "\033[H\033[2J";
  private static final int LONGEST_SECONDS = 3_600;

  @Option(
      names = "--watch",
      paramLabel = "SECONDS",
      arity = "0..1",
      fallbackValue = "2",
      description = "Repeats every N seconds, 2 by default, until Ctrl-C")
  private @Nullable Integer interval;

  @Override
  public Integer call() {
    if (interval != null) {
      server.between("--watch", interval, 1, LONGEST_SECONDS);
    }
    boolean redraws = interval != null && !server.wantsJson() && Terminal.isThere();
    ProcessDocument before = null;
    try (AdminClient client = server.open()) {
      do {
        Answer<ProcessDocument> answer = client.get("/api/v1/stats", ProcessDocument.class);
        if (server.wantsJson()) {
          server.print(answer.text());
        } else {
          ProcessDocument now = answer.document();
          server.print(screen(redraws, before, StatsText.lines(client.server(), now, before)));
          before = now;
        }
      } while (interval != null && ServerOptions.pause(Duration.ofSeconds(interval)));
    }
    return 0;
  }

  private static List<String> screen(
      boolean redraws, @Nullable ProcessDocument before, List<String> lines) {
    List<String> screen = new ArrayList<>(lines);
    if (redraws) {
      screen.set(0, CLEAR + screen.getFirst());
    } else if (before != null) {
      screen.addFirst("");
    }
    return screen;
  }
}
