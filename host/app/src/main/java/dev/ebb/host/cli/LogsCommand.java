package dev.ebb.host.cli;

import dev.ebb.host.admin.EvictionDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ebb logs}: lists removed entries, and why they were removed. */
@Command(
    name = "logs",
    description =
        "Shows the last removed entries, and the passes in which they were evicted: when, why, how"
            + " old, how often used",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb logs", "  ebb logs --tail 1000 --json", "  ebb logs --tail 0 --follow"})
final class LogsCommand extends ServerCommand {

  private static final int MOST = 10_000;
  private static final long INTERVAL_MILLIS = 500;

  @Option(
      names = "--tail",
      paramLabel = "N",
      defaultValue = "20",
      description = "The last N entries; by default 20")
  private int tail;

  @Option(names = "--follow", description = "Keeps showing removed entries until Ctrl-C")
  private boolean follow;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  LogsCommand() {}

  /** With JSON, writes the documents of the server as they are, one a line. */
  @Override
  public Integer call() {
    if (tail < 0 || tail > MOST) {
      throw wrong("--tail: '%d' must be 0 to %d".formatted(tail, MOST));
    }
    EvictionLines lines = new EvictionLines();
    try (AdminClient client = open()) {
      Answer<EvictionDocument.Log> answer =
          client.get("/api/v1/evictions?tail=" + tail, EvictionDocument.Log.class);
      show(answer, lines.first(answer.document()), true);
      while (follow && waited()) {
        answer =
            client.get(
                "/api/v1/evictions?since=" + answer.document().next(), EvictionDocument.Log.class);
        show(answer, lines.next(answer.document()), false);
      }
    }
    return 0;
  }

  private void show(Answer<?> answer, List<String> lines, boolean evenIfEmpty) {
    if (!wantsJson()) {
      print(lines);
    } else if (evenIfEmpty || !lines.isEmpty()) {
      print(answer.text());
    }
  }

  /** Returns false if the command is to end. */
  private static boolean waited() {
    try {
      Thread.sleep(INTERVAL_MILLIS);
      return true;
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
