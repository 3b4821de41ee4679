package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb pins}: what is kept from being evicted, and by whom. */
@Command(
    name = "pins",
    description = "Lists the entries that operators keep from being evicted",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb pins", "  ebb pins --json"})
final class PinsCommand extends AnswerCommand {

  @Override
  Answer ask(AdminClient client) {
    return client.get("/api/v1/pins");
  }

  @Override
  List<String> lines(Fields answer) {
    List<Fields> pins = answer.list("/pins");
    if (pins.isEmpty()) {
      return List.of("nothing is pinned");
    }
    TextTable table = new TextTable(">SIZE", ">LEFT", "SINCE", "OWNER", "KEY");
    for (Fields pin : pins) {
      table.add(
          List.of(
              pin.bytes("/bytes"),
              pin.until("/expiresAt"),
              pin.moment("/since"),
              pin.text("/owner"),
              pin.key("/key")));
    }
    return table.lines();
  }
}
