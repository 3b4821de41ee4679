package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.ConfigText;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ebb config set}: other values for a running Ebb. */
@Command(
    name = "set",
    description =
        "Changes values of a running Ebb, all or none; its file is left as it is, so a restart"
            + " takes them back",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb config set ebb.eviction.policy=sieve",
      "  ebb config set ebb.eviction.ttl='2 h' --dry-run",
      "  ebb config set ebb.eviction.rules=[]"
    })
final class ConfigSetCommand extends AnswerCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "KEY=VALUE",
      description = "A key that can change while Ebb runs, and its value")
  private Map<String, String> values;

  @Option(names = "--dry-run", description = "Says what would change, and changes nothing")
  private boolean dryRun;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ConfigSetCommand() {}

  /** Refused if somebody else changes something between the look and the change. */
  @Override
  Answer ask(AdminClient client) {
    Map<String, Object> changes = new LinkedHashMap<>();
    values.forEach((key, value) -> changes.put(key, plain(value)));
    Map<String, Object> wish = new LinkedHashMap<>();
    wish.put("changes", changes);
    if (dryRun) {
      wish.put("dryRun", true);
    } else {
      wish.put("version", client.get("/api/v1/config").document().at("/version").asLong(0));
    }
    return client.send("PATCH", "/api/v1/config", wish);
  }

  /** As a configuration file would read it. */
  private static Object plain(String text) {
    if (text.startsWith("[")) {
      return ConfigText.value(text);
    }
    if (text.equals("true") || text.equals("false")) {
      return Boolean.valueOf(text);
    }
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException notANumber) {
      return text;
    }
  }

  @Override
  List<String> lines(Fields answer) {
    List<String> lines = new ArrayList<>();
    for (Fields change : answer.list("/changes")) {
      lines.add(
          "%s: '%s' -> '%s'"
              .formatted(change.text("/key"), change.text("/from"), change.text("/to")));
    }
    if (lines.isEmpty()) {
      return List.of("nothing changes: the values are in force already");
    }
    lines.add(answer.flag("/committed") ? "changed" : "not changed: this was a dry run");
    return lines;
  }
}
