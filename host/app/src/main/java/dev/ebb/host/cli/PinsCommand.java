package dev.ebb.host.cli;

import dev.ebb.host.admin.EntryDocument;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ebb pins}: lists the pins. */
@Command(
    name = "pins",
    description = "Lists the entries that operators have pinned",
    footer = {"  ebb pins", "  ebb pins --json"})
final class PinsCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  @Override
  public Integer call() {
    return server.show(
        client -> client.get("/api/v1/pins", EntryDocument.Pins.class), PinsCommand::lines);
  }

  private static List<String> lines(EntryDocument.Pins answer) {
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
