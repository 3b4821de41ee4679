package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb pool migration-status}: how far moves between devices are. */
@Command(
    name = "migration-status",
    description = "Shows how far moves between devices are, those of the last time included",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb pool migration-status", "  ebb pool migration-status 3 --json"})
final class PoolMigrationStatusCommand extends AnswerCommand {

  @Parameters(arity = "0..1", paramLabel = "ID", description = "Only the move of this number")
  private @Nullable Long id;

  // The field is set by picocli.
  @SuppressWarnings("NullAway.Init")
  PoolMigrationStatusCommand() {}

  @Override
  Answer ask(AdminClient client) {
    return client.get("/api/v1/pool/migrations" + (id == null ? "" : "/" + id));
  }

  @Override
  List<String> lines(Fields answer) {
    List<Fields> moves = id == null ? answer.list("/migrations") : List.of(answer);
    if (moves.isEmpty()) {
      return List.of("no migration has been started");
    }
    TextTable table =
        new TextTable(">ID", ">SEQUENCE", "FROM", "TO", "STATE", ">COPIED", ">BYTES", "REASON");
    for (Fields each : moves) {
      table.add(
          List.of(
              each.text("/id"),
              each.text("/sequence"),
              each.text("/from"),
              each.text("/to"),
              each.text("/state"),
              "%s of %s".formatted(each.count("/blocksCopied"), each.count("/blocks")),
              each.bytes("/bytesCopied"),
              each.text("/reason")));
    }
    return table.lines();
  }
}
