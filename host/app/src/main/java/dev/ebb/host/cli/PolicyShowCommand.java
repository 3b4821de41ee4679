package dev.ebb.host.cli;

import dev.ebb.host.admin.PolicyDocument;
import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.SettingValue;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb policy show}: shows one policy with its settings. */
@Command(
    name = "show",
    description = "Shows one policy with its settings; by default the active one",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy show", "  ebb policy show lfu"})
final class PolicyShowCommand extends AnswerCommand<PolicyDocument.All> {

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "The policy's name")
  private @Nullable String name;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PolicyShowCommand() {}

  @Override
  Answer<PolicyDocument.All> ask(AdminClient client) {
    Answer<PolicyDocument.All> answer = client.get("/api/v1/policies", PolicyDocument.All.class);
    policy(answer.document());
    return answer;
  }

  @Override
  List<String> lines(PolicyDocument.All answer) {
    PolicyDocument.Described policy = policy(answer);
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s%s%s"
            .formatted(
                Format.text(policy.name()),
                policy.plugin() != null
                    ? ", of %s %s"
                        .formatted(Format.text(policy.plugin()), Format.text(policy.version()))
                    : policy.problem() != null ? "" : ", built in",
                active(policy, answer)));
    if (policy.quarantine() != null) {
      lines.add(
          "in quarantine since %s: %s"
              .formatted(
                  Format.moment(policy.quarantine().since()),
                  Format.text(policy.quarantine().reason())));
      policy
          .quarantine()
          .stack()
          .lines()
          .map(line -> "  " + KeyText.printable(line.strip()))
          .forEach(lines::add);
    }
    if (policy.problem() != null) {
      boolean serves = policy.name().equals(answer.policy());
      lines.add(
          (serves ? "stays active, but cannot be chosen again: " : "cannot be used: ")
              + Format.text(policy.problem()));
    }
    lines.addAll(settings(policy));
    if (name == null) {
      lines.addAll(PolicyListCommand.standIn(answer));
    }
    return lines;
  }

  private static String active(PolicyDocument.Described policy, PolicyDocument.All answer) {
    if (!policy.name().equals(answer.policy())) {
      return "";
    }
    return answer.rule() != null ? ", active by rule " + Format.text(answer.rule()) : ", active";
  }

  private static List<String> settings(PolicyDocument.Described policy) {
    List<SettingValue> settings = policy.settings();
    if (settings.isEmpty()) {
      return List.of("it has no settings");
    }
    TextTable table = new TextTable("SETTING", "VALUE", "DEFAULT");
    settings.forEach(setting ->
        table.add(
            List.of(
                Format.text(setting.key()),
                Format.text(setting.value()),
                Format.text(setting.defaultValue()))));
    return table.lines();
  }

  private PolicyDocument.Described policy(PolicyDocument.All answer) {
    String wanted = name == null ? asked(answer) : name;
    return answer.policies().stream()
        .filter(each -> each.name().equals(wanted))
        .findFirst()
        .orElseThrow(() -> unknown(wanted, answer));
  }

  /** The active policy, or the one that it stands in for. */
  private static String asked(PolicyDocument.All answer) {
    String active = answer.policy();
    return active.equals(BuiltInLru.NAME) ? answer.configured() : active;
  }

  private static UserError unknown(String wanted, PolicyDocument.All answer) {
    List<String> names =
        answer.policies().stream().map(policy -> Format.text(policy.name())).toList();
    return new UserError(
        "no policy named '%s'; available: %s%s"
            .formatted(wanted, names, Suggestions.hint(wanted, names)));
  }
}
