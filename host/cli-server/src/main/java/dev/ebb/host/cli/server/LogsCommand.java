package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.entries.HintDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.text.TextTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ebb logs}: lists removed entries, and why they were removed. */
@Command(
    name = "logs",
    description =
        "Shows the last removed entries, and the passes in which they were evicted: when, why, how"
            + " old, how often used",
    footer = {
      "  ebb logs",
      "  ebb logs --tail 1000 --json",
      "  ebb logs --tail 0 --follow",
      "  ebb logs --hints"
    })
public final class LogsCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  private static final int MOST = 10_000;
  private static final int MOST_HINTS = 1_000;
  private static final Duration INTERVAL = Duration.ofMillis(500);

  @Option(
      names = "--tail",
      paramLabel = "N",
      defaultValue = "20",
      description = "The last N entries; by default 20")
  private int tail;

  @Option(names = "--follow", description = "Keeps showing removed entries until Ctrl-C")
  private boolean follow;

  @Option(
      names = "--hints",
      description = "Shows what became of the last KV hints of clients instead, at most 1000")
  private boolean hints;

  private static final String HINTS =
      "TIME                 OUTCOME   TYPE                TENANT      REQUEST               ACTION"
          + "                REASON";

  private static final TextTemplate<HintDocument> HINT =
      TextTemplate.of(
          HintDocument.class,
          "{time,-19:moment}  {outcome,-8}  {type,-18}  {tenant,-10}  {request,-20}  {action,-20}"
              + "  {reason}");

  /** With JSON, writes the documents of the server as they are, one a line. */
  @Override
  public Integer call() {
    server.between("--tail", tail, 0, MOST);
    if (hints) {
      return showHints();
    }
    EvictionLines lines = new EvictionLines();
    try (AdminClient client = server.open()) {
      Answer<EvictionDocument.Log> answer =
          client.get("/api/v1/evictions?tail=" + tail, EvictionDocument.Log.class);
      show(answer, lines.first(answer.document()), true);
      while (follow && ServerOptions.pause(INTERVAL)) {
        answer =
            client.get(
                "/api/v1/evictions?since=" + answer.document().next(), EvictionDocument.Log.class);
        show(answer, lines.next(answer.document()), false);
      }
    }
    return 0;
  }

  private int showHints() {
    if (follow) {
      throw server.wrong("--follow cannot be combined with --hints; leave one of them out");
    }
    try (AdminClient client = server.open()) {
      Answer<HintDocument.Log> answer =
          client.get("/api/v1/hints?tail=" + Math.min(tail, MOST_HINTS), HintDocument.Log.class);
      List<String> lines = new ArrayList<>(List.of(HINTS));
      answer.document().hints().forEach(hint -> lines.add(HINT.line(hint).stripTrailing()));
      show(answer, lines, true);
    }
    return 0;
  }

  private void show(Answer<?> answer, List<String> lines, boolean evenIfEmpty) {
    if (!server.wantsJson()) {
      server.print(lines);
    } else if (evenIfEmpty || !lines.isEmpty()) {
      server.print(answer.text());
    }
  }
}
