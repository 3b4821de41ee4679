package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EntryDocument;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.KeyText;
import dev.ebb.host.cli.output.TextTable;
import java.util.ArrayList;
import java.util.List;

/** Entries and pins for a terminal. */
final class EntryLines {

  private EntryLines() {}

  /**
   * A table of entries.
   *
   * @param prefix of their keys
   * @param all whether there are no others
   */
  static List<String> keys(KeyText prefix, List<EntryDocument> entries, boolean all) {
    if (entries.isEmpty()) {
      return List.of(
          prefix.bytes().length == 0
              ? "the cache is empty"
              : "no key starts with '%s'".formatted(prefix));
    }
    TextTable table =
        new TextTable(">SIZE", ">AGE", ">IDLE", ">USES", "STATE", "PINNED", "TENANT", "KEY");
    entries.forEach(entry -> table.add(row(entry)));
    List<String> lines = new ArrayList<>(table.lines());
    if (!all) {
      lines.add("... possibly more; use --limit or --prefix to see them");
    }
    return lines;
  }

  private static List<String> row(EntryDocument entry) {
    return List.of(
        Format.bytes(entry.bytes()),
        Format.seconds(entry.ageSeconds()),
        Format.seconds(entry.idleSeconds()),
        Format.count(entry.accesses()),
        Format.text(entry.state()),
        entry.pins().isEmpty() ? "no" : "yes",
        Format.text(entry.tenant()),
        Format.key(entry.key()));
  }

  /** One entry, and what the policy says about it. */
  static List<String> explained(EntryDocument.Explained answer) {
    EntryDocument entry = answer.entry();
    List<String> lines = new ArrayList<>();
    line(lines, "key", Format.key(entry.key()));
    line(
        lines,
        "value",
        "%s, takes %s of the pool"
            .formatted(Format.bytes(entry.bytes()), Format.bytes(entry.chargedBytes())));
    line(lines, "state", Format.text(entry.state()));
    line(
        lines,
        "used",
        "%s, put %s ago, last used %s ago"
            .formatted(
                Format.count(entry.accesses(), "time", "times"),
                Format.seconds(entry.ageSeconds()),
                Format.seconds(entry.idleSeconds())));
    if (entry.expiresAt() != null) {
      line(
          lines,
          "expires",
          "%s, in %s".formatted(Format.moment(entry.expiresAt()), Format.until(entry.expiresAt())));
    }
    if (entry.tenant() != null || entry.model() != null) {
      line(
          lines,
          "of",
          "tenant %s, model %s, rank %s"
              .formatted(
                  Format.text(entry.tenant()),
                  Format.text(entry.model()),
                  Format.count(entry.rank())));
    }
    kept(lines, entry);
    said(lines, answer);
    return lines;
  }

  private static void kept(List<String> lines, EntryDocument entry) {
    if (entry.readers() > 0) {
      line(lines, "kept", "%s it".formatted(Format.count(entry.readers(), "reads", "read")));
    }
    for (EntryDocument.PinDocument pin : entry.pins()) {
      line(
          lines,
          "kept",
          "pinned by %s since %s%s"
              .formatted(
                  Format.text(pin.owner()),
                  Format.moment(pin.since()),
                  pin.expiresAt() != null
                      ? ", for " + Format.until(pin.expiresAt()) + " more"
                      : ""));
    }
  }

  private static void said(List<String> lines, EntryDocument.Explained answer) {
    line(lines, "policy", Format.text(answer.policy()));
    if (answer.score() != null) {
      line(lines, "score", Format.decimal(answer.score()));
    }
    if (answer.text() != null && !answer.text().isEmpty()) {
      line(lines, "says", Format.text(answer.text()));
    }
  }

  private static void line(List<String> lines, String label, String value) {
    lines.add("%-8s %s".formatted(label, value));
  }

  static List<String> pinned(EntryDocument.PinDocument answer) {
    return List.of(
        "pinned '%s' for %s, %s%s"
            .formatted(
                Format.key(answer.key()),
                Format.text(answer.owner()),
                Format.bytes(answer.bytes()),
                answer.expiresAt() != null ? ", until " + Format.moment(answer.expiresAt()) : ""));
  }

  /** A table of pins. */
  static List<String> pins(List<EntryDocument.PinDocument> pins) {
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
