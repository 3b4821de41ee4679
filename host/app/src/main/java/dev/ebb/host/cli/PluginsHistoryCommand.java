package dev.ebb.host.cli;

import dev.ebb.host.admin.SwapDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ebb plugins history}: lists the policy switches of a running Ebb. */
@Command(
    name = "history",
    description =
        "Lists each policy switch and each failed attempt: from which to which policy, why, how"
            + " long its steps took, where it failed, and whether the old JAR has been unloaded",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb plugins history", "  ebb plugins history --tail 5 --json"})
final class PluginsHistoryCommand extends AnswerCommand<SwapDocument.History> {

  @Option(
      names = "--tail",
      paramLabel = "N",
      description = "The last N only, 1 to 256; by default all that are remembered, at most 256")
  private @Nullable Integer tail;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsHistoryCommand() {}

  @Override
  Answer<SwapDocument.History> ask(AdminClient client) {
    if (tail != null && (tail < 1 || tail > 256)) {
      throw wrong("--tail: '%d' must be 1 to 256".formatted(tail));
    }
    return client.get(
        "/api/v1/plugins/history" + (tail == null ? "" : "?tail=" + tail),
        SwapDocument.History.class);
  }

  @Override
  List<String> lines(SwapDocument.History answer) {
    return SwapTable.lines(answer);
  }
}
