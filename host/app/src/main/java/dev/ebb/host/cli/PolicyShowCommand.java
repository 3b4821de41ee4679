package dev.ebb.host.cli;

import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb policy show}: one policy with its settings. */
@Command(
    name = "show",
    description = "Shows one policy with its settings; by default the active one",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy show", "  ebb policy show lfu"})
final class PolicyShowCommand extends AnswerCommand {

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "The policy's name")
  private @Nullable String name;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PolicyShowCommand() {}

  @Override
  Answer ask(AdminClient client) {
    Answer answer = client.get("/api/v1/policies");
    policy(new Fields(answer.document()));
    return answer;
  }

  @Override
  List<String> lines(Fields answer) {
    Fields policy = policy(answer);
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s%s%s"
            .formatted(
                policy.text("/name"),
                policy.has("/plugin")
                    ? ", of %s %s".formatted(policy.text("/plugin"), policy.text("/version"))
                    : policy.has("/problem") ? "" : ", built in",
                inForce(policy, answer)));
    if (policy.has("/quarantine")) {
      lines.add(
          "in quarantine since %s: %s"
              .formatted(policy.moment("/quarantine/since"), policy.text("/quarantine/reason")));
      policy
          .raw("/quarantine/stack")
          .lines()
          .map(line -> "  " + KeyText.printable(line.strip()))
          .forEach(lines::add);
    }
    if (policy.has("/problem")) {
      boolean serves = policy.raw("/name").equals(answer.raw("/policy"));
      lines.add(
          (serves ? "serves on, and cannot be chosen again: " : "cannot be used: ")
              + policy.text("/problem"));
    }
    lines.addAll(settings(policy));
    if (name == null) {
      lines.addAll(PolicyListCommand.standIn(answer));
    }
    return lines;
  }

  private static String inForce(Fields policy, Fields answer) {
    if (!policy.raw("/name").equals(answer.raw("/policy"))) {
      return "";
    }
    return answer.has("/rule") ? ", active by rule " + answer.text("/rule") : ", active";
  }

  private static List<String> settings(Fields policy) {
    List<Fields> settings = policy.list("/settings");
    if (settings.isEmpty()) {
      return List.of("it has no settings");
    }
    TextTable table = new TextTable("SETTING", "VALUE", "DEFAULT");
    settings.forEach(setting ->
        table.add(
            List.of(setting.text("/key"), setting.text("/value"), setting.text("/defaultValue"))));
    return table.lines();
  }

  private Fields policy(Fields answer) {
    String wanted = name == null ? asked(answer) : name;
    return answer.list("/policies").stream()
        .filter(each -> each.raw("/name").equals(wanted))
        .findFirst()
        .orElseThrow(() -> unknown(wanted, answer));
  }

  /** The active policy, or the one that it stands in for. */
  private static String asked(Fields answer) {
    String inForce = answer.raw("/policy");
    return inForce.equals(BuiltInLru.NAME) ? answer.raw("/configured") : inForce;
  }

  private static UserError unknown(String wanted, Fields answer) {
    List<String> names =
        answer.list("/policies").stream().map(policy -> policy.text("/name")).toList();
    return new UserError(
        "no policy named '%s'; available: %s%s"
            .formatted(wanted, names, Suggestions.hint(wanted, names)));
  }
}
