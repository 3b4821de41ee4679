package dev.ebb.host.cli;

import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb policy list}: the policies that a running Ebb could use. */
@Command(
    name = "list",
    description =
        "Lists the policies that a running Ebb could use; * is the active one, ! is in quarantine",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy list", "  ebb policy list --json"})
final class PolicyListCommand extends AnswerCommand {

  @Override
  Answer ask(AdminClient client) {
    return client.get("/api/v1/policies");
  }

  @Override
  List<String> lines(Fields answer) {
    TextTable table = new TextTable(" ", "POLICY", "PLUGIN", "VERSION", "SETTINGS");
    List<String> problems = new ArrayList<>();
    for (Fields policy : answer.list("/policies")) {
      table.add(
          List.of(
              mark(policy, answer),
              policy.text("/name"),
              policy.text("/plugin"),
              policy.text("/version"),
              settings(policy)));
      if (policy.has("/problem")) {
        problems.add(policy.text("/name") + ": " + policy.text("/problem"));
      }
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.addAll(problems);
    lines.addAll(standIn(answer));
    if (answer.has("/rule")) {
      lines.add(
          "%s is active by rule %s, else %s would be"
              .formatted(answer.text("/policy"), answer.text("/rule"), answer.text("/configured")));
    }
    if (answer.flag("/rulesPaused")) {
      lines.add(RuleLines.PAUSED);
    }
    return lines;
  }

  private static String mark(Fields policy, Fields answer) {
    if (policy.raw("/name").equals(answer.raw("/policy"))) {
      return "*";
    }
    return policy.has("/quarantine") ? "!" : "";
  }

  /** What serves while the configured policy cannot. */
  static List<String> standIn(Fields answer) {
    return answer.raw("/policy").equals(BuiltInLru.NAME)
        ? List.of(
            "%s, the host's own order, is active in place of %s; 'ebb policy show %s' says why"
                .formatted(BuiltInLru.NAME, answer.text("/configured"), answer.text("/configured")))
        : List.of();
  }

  private static String settings(Fields policy) {
    List<String> settings =
        policy.list("/settings").stream()
            .map(setting -> setting.text("/key") + "=" + setting.text("/value"))
            .toList();
    return String.join(", ", settings);
  }
}
