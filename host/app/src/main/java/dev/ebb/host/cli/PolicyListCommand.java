package dev.ebb.host.cli;

import dev.ebb.host.admin.PolicyDocument;
import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb policy list}: lists the policies that a running Ebb could use. */
@Command(
    name = "list",
    description =
        "Lists the policies that a running Ebb could use; * is the active one, ! is in quarantine",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy list", "  ebb policy list --json"})
final class PolicyListCommand extends AnswerCommand<PolicyDocument.All> {

  @Override
  Answer<PolicyDocument.All> ask(AdminClient client) {
    return client.get("/api/v1/policies", PolicyDocument.All.class);
  }

  @Override
  List<String> lines(PolicyDocument.All answer) {
    TextTable table = new TextTable(" ", "POLICY", "PLUGIN", "VERSION", "SETTINGS");
    List<String> problems = new ArrayList<>();
    for (PolicyDocument.Described policy : answer.policies()) {
      table.add(
          List.of(
              mark(policy, answer),
              Format.text(policy.name()),
              Format.text(policy.plugin()),
              Format.text(policy.version()),
              settings(policy)));
      if (policy.problem() != null) {
        problems.add(Format.text(policy.name()) + ": " + Format.text(policy.problem()));
      }
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.addAll(problems);
    lines.addAll(standIn(answer));
    if (answer.rule() != null) {
      lines.add(
          "%s is active by rule %s, else %s would be"
              .formatted(
                  Format.text(answer.policy()),
                  Format.text(answer.rule()),
                  Format.text(answer.configured())));
    }
    if (answer.rulesPaused()) {
      lines.add(RuleLines.PAUSED);
    }
    return lines;
  }

  private static String mark(PolicyDocument.Described policy, PolicyDocument.All answer) {
    if (policy.name().equals(answer.policy())) {
      return "*";
    }
    return policy.quarantine() != null ? "!" : "";
  }

  /** What serves while the configured policy cannot. */
  static List<String> standIn(PolicyDocument.All answer) {
    return answer.policy().equals(BuiltInLru.NAME)
        ? List.of(
            "%s, the host's own order, is active in place of %s; 'ebb policy show %s' says why"
                .formatted(
                    BuiltInLru.NAME,
                    Format.text(answer.configured()),
                    Format.text(answer.configured())))
        : List.of();
  }

  private static String settings(PolicyDocument.Described policy) {
    List<String> settings =
        policy.settings().stream()
            .map(setting -> Format.text(setting.key()) + "=" + Format.text(setting.value()))
            .toList();
    return String.join(", ", settings);
  }
}
