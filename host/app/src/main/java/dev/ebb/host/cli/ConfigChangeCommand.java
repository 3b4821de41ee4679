package dev.ebb.host.cli;

import dev.ebb.host.admin.ConfigDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.runtime.RuntimeConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that changes values of a running Ebb, all or none. */
abstract class ConfigChangeCommand extends AnswerCommand<ConfigDocument.Changed> {

  private static final String POLICY = "ebb.eviction.policy";

  @Option(names = "--dry-run", description = "Shows what would change, and changes nothing")
  private boolean dryRun;

  /** Returns the new values by key; null for the value of the file. */
  abstract Map<String, @Nullable Object> changes();

  /** The request is refused if the configuration changes between the look and the change. */
  @Override
  final Answer<ConfigDocument.Changed> ask(AdminClient client) {
    Map<String, Object> wish = new LinkedHashMap<>();
    wish.put("changes", changes());
    if (dryRun) {
      wish.put("dryRun", true);
    } else {
      wish.put("version", client.get("/api/v1/config", ConfigDocument.class).document().version());
    }
    return client.send("PATCH", "/api/v1/config", wish, ConfigDocument.Changed.class);
  }

  @Override
  final List<String> lines(ConfigDocument.Changed answer) {
    boolean committed = answer.committed();
    List<String> lines = new ArrayList<>();
    for (RuntimeConfig.Change change : answer.changes()) {
      lines.add(
          "%s: '%s' -> '%s'"
              .formatted(
                  Format.text(change.key()),
                  HoconText.of(change.from()),
                  HoconText.of(change.to())));
    }
    lines.add(
        lines.isEmpty()
            ? "nothing changes: the values are active already"
            : committed ? "changed" : "not changed: this was a dry run");
    if (answer.rulesPaused() && changes().containsKey(POLICY)) {
      lines.add(
          committed
              ? "'%s' is active; %s".formatted(Format.text(answer.policy()), RuleLines.PAUSED)
              : "the rules would pause until 'ebb policy rules resume'");
    }
    return lines;
  }
}
