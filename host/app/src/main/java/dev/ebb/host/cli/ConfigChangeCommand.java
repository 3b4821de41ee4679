package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that changes values of a running Ebb, all or none. */
abstract class ConfigChangeCommand extends AnswerCommand {

  private static final String POLICY = "ebb.eviction.policy";

  @Option(names = "--dry-run", description = "Says what would change, and changes nothing")
  private boolean dryRun;

  /** The values wanted, by key; null for what the file says. */
  abstract Map<String, @Nullable Object> changes();

  /** Refused if somebody else changes something between the look and the change. */
  @Override
  final Answer ask(AdminClient client) {
    Map<String, Object> wish = new LinkedHashMap<>();
    wish.put("changes", changes());
    if (dryRun) {
      wish.put("dryRun", true);
    } else {
      wish.put("version", client.get("/api/v1/config").document().at("/version").asLong(0));
    }
    return client.send("PATCH", "/api/v1/config", wish);
  }

  @Override
  final List<String> lines(Fields answer) {
    boolean committed = answer.flag("/committed");
    List<String> lines = new ArrayList<>();
    for (Fields change : answer.list("/changes")) {
      lines.add(
          "%s: '%s' -> '%s'"
              .formatted(
                  change.text("/key"),
                  HoconText.of(change.in("/from")),
                  HoconText.of(change.in("/to"))));
    }
    lines.add(
        lines.isEmpty()
            ? "nothing changes: the values are active already"
            : committed ? "changed" : "not changed: this was a dry run");
    if (answer.flag("/rulesPaused") && changes().containsKey(POLICY)) {
      lines.add(
          committed
              ? "'%s' is active; %s".formatted(answer.text("/policy"), RuleLines.PAUSED)
              : "the rules would pause until 'ebb policy rules resume'");
    }
    return lines;
  }
}
