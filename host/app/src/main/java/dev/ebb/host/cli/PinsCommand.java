package dev.ebb.host.cli;

import dev.ebb.host.admin.EntryDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb pins}: lists the pins. */
@Command(
    name = "pins",
    description = "Lists the entries that operators have pinned",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb pins", "  ebb pins --json"})
final class PinsCommand extends AnswerCommand<EntryDocument.Pins> {

  @Override
  Answer<EntryDocument.Pins> ask(AdminClient client) {
    return client.get("/api/v1/pins", EntryDocument.Pins.class);
  }

  @Override
  List<String> lines(EntryDocument.Pins answer) {
    List<EntryDocument.PinDocument> pins = answer.pins();
    if (pins.isEmpty()) {
      return List.of("nothing is pinned");
    }
    TextTable table = new TextTable(">SIZE", ">LEFT", "SINCE", "OWNER", "KEY");
    for (EntryDocument.PinDocument pin : pins) {
      table.add(
          List.of(
              Format.bytes(pin.bytes()),
              Format.until(pin.expiresAt()),
              Format.moment(pin.since()),
              Format.text(pin.owner()),
              Format.key(pin.key())));
    }
    return table.lines();
  }
}
