package dev.ebb.host.cli;

import dev.ebb.host.admin.EntryDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ebb explain}: shows one entry, and the policy's explanation. */
@Command(
    name = "explain",
    description =
        "Shows one entry, its pins, and the policy's explanation; this does not count as a"
            + " use",
    footer = {"  ebb explain system-prompt", "  ebb explain hex:00ff10 --json"})
final class ExplainCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  @Parameters(paramLabel = "KEY", description = KeyText.HELP)
  private KeyText key;

  @Override
  public Integer call() {
    return server.show(
        client -> client.get("/api/v1/explain/" + key.encoded(), EntryDocument.Explained.class),
        ExplainCommand::lines);
  }

  private static List<String> lines(EntryDocument.Explained answer) {
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
}
