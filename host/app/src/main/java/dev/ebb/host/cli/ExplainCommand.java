package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb explain}: one entry, and what the policy thinks of it. */
@Command(
    name = "explain",
    description =
        "Shows one entry, who keeps it, and what the policy says of it; looking does not count as a"
            + " use",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb explain system-prompt", "  ebb explain hex:00ff10 --json"})
final class ExplainCommand extends AnswerCommand {

  @Parameters(paramLabel = "KEY", description = KeyText.HELP)
  private KeyText key;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ExplainCommand() {}

  @Override
  Answer ask(AdminClient client) {
    return client.get("/api/v1/explain/" + key.encoded());
  }

  @Override
  List<String> lines(Fields answer) {
    Fields entry = answer.in("/entry");
    List<String> lines = new ArrayList<>();
    line(lines, "key", entry.key("/key"));
    line(
        lines,
        "value",
        "%s, takes %s of the pool".formatted(entry.bytes("/bytes"), entry.bytes("/chargedBytes")));
    line(lines, "state", entry.text("/state"));
    line(
        lines,
        "used",
        "%s, put %s ago, last used %s ago"
            .formatted(
                entry.count("/accesses", "time", "times"),
                entry.seconds("/ageSeconds"),
                entry.seconds("/idleSeconds")));
    if (entry.has("/expiresAt")) {
      line(
          lines,
          "expires",
          "%s, in %s".formatted(entry.moment("/expiresAt"), entry.until("/expiresAt")));
    }
    if (entry.has("/tenant") || entry.has("/model")) {
      line(
          lines,
          "of",
          "tenant %s, model %s, rank %s"
              .formatted(entry.text("/tenant"), entry.text("/model"), entry.count("/rank")));
    }
    kept(lines, entry);
    said(lines, answer);
    return lines;
  }

  private static void kept(List<String> lines, Fields entry) {
    if (entry.number("/readers") > 0) {
      line(lines, "kept", "%s it".formatted(entry.count("/readers", "reads", "read")));
    }
    for (Fields pin : entry.list("/pins")) {
      line(
          lines,
          "kept",
          "pinned by %s since %s%s"
              .formatted(
                  pin.text("/owner"),
                  pin.moment("/since"),
                  pin.has("/expiresAt") ? ", for " + pin.until("/expiresAt") + " more" : ""));
    }
  }

  private static void said(List<String> lines, Fields answer) {
    line(lines, "policy", answer.text("/policy"));
    if (answer.has("/score")) {
      line(lines, "score", answer.decimal("/score"));
    }
    if (!answer.raw("/text").isEmpty()) {
      line(lines, "says", answer.text("/text"));
    }
  }

  private static void line(List<String> lines, String label, String value) {
    lines.add("%-8s %s".formatted(label, value));
  }
}
