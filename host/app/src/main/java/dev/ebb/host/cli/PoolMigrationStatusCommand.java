package dev.ebb.host.cli;

import dev.ebb.host.admin.MigrationDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb pool migration-status}: shows the progress of moves between devices. */
@Command(
    name = "migration-status",
    description = "Shows the progress of moves between devices, recent ones included",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb pool migration-status", "  ebb pool migration-status 3 --json"})
final class PoolMigrationStatusCommand extends AnswerCommand<MigrationDocument.All> {

  @Parameters(arity = "0..1", paramLabel = "ID", description = "Only the move with this number")
  private @Nullable Long id;

  // The field is set by picocli.
  @SuppressWarnings("NullAway.Init")
  PoolMigrationStatusCommand() {}

  @Override
  Answer<MigrationDocument.All> ask(AdminClient client) {
    if (id == null) {
      return client.get("/api/v1/pool/migrations", MigrationDocument.All.class);
    }
    Answer<MigrationDocument> one =
        client.get("/api/v1/pool/migrations/" + id, MigrationDocument.class);
    return new Answer<>(one.text(), () -> new MigrationDocument.All(List.of(one.document())));
  }

  @Override
  List<String> lines(MigrationDocument.All answer) {
    List<MigrationDocument> moves = answer.migrations();
    if (moves.isEmpty()) {
      return List.of("no migration has been started");
    }
    TextTable table =
        new TextTable(">ID", ">SEQUENCE", "FROM", "TO", "STATE", ">COPIED", ">BYTES", "REASON");
    for (MigrationDocument each : moves) {
      table.add(
          List.of(
              Format.text(each.id()),
              Format.text(each.sequence()),
              Format.text(each.from()),
              Format.text(each.to()),
              Format.text(each.state()),
              "%s of %s".formatted(Format.count(each.blocksCopied()), Format.count(each.blocks())),
              Format.bytes(each.bytesCopied()),
              Format.text(each.reason())));
    }
    return table.lines();
  }
}
