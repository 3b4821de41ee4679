package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.QuarantineDocument;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.KeyText;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Policies for a terminal. */
public final class PolicyLines {

  private PolicyLines() {}

  /** The name of a policy, and what it uses if it chooses among others. */
  public static String name(String policy, @Nullable String chosen) {
    return Format.text(policy) + (chosen == null ? "" : ", which uses " + Format.text(chosen));
  }

  /** A table of all, and what is wrong with some. */
  static List<String> list(PolicyDocument.All answer) {
    TextTable table = new TextTable(" ", "POLICY", "PLUGIN", "VERSION", "SETTINGS");
    List<String> problems = new ArrayList<>();
    for (PolicyDocument.Described policy : answer.policies()) {
      table.add(
          List.of(
              mark(policy, answer),
              Format.text(policy.name()),
              Format.text(policy.plugin()),
              Format.text(policy.version()),
              String.join(
                  ", ",
                  policy.settings().stream()
                      .map(each -> Format.text(each.key()) + "=" + Format.text(each.value()))
                      .toList())));
      if (policy.problem() != null) {
        problems.add(Format.text(policy.name()) + ": " + Format.text(policy.problem()));
      }
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.addAll(problems);
    lines.addAll(standIn(answer));
    if (answer.chosen() != null) {
      lines.add(name(answer.policy(), answer.chosen()) + " now");
    }
    if (answer.rule() != null) {
      lines.add(
          "rule %s has activated %s; the configured policy is %s"
              .formatted(
                  Format.text(answer.rule()),
                  Format.text(answer.policy()),
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
  private static List<String> standIn(PolicyDocument.All answer) {
    String configured = Format.text(answer.configured());
    return answer.policy().equals(BuiltInLru.NAME)
        ? List.of(
            "%s, the host's own order, is active in place of %s; 'ebb policy show %s' says why"
                .formatted(BuiltInLru.NAME, configured, configured))
        : List.of();
  }

  /**
   * One policy with its settings.
   *
   * @param name null for the active one
   */
  static List<String> show(@Nullable String name, PolicyDocument.All answer) {
    PolicyDocument.Described policy = find(name, answer);
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
    lines.addAll(settings(policy.settings()));
    if (answer.admission() != null && policy.name().equals(answer.policy())) {
      lines.add(admission(answer.admission()));
    }
    if (name == null) {
      lines.addAll(standIn(answer));
    }
    return lines;
  }

  private static String active(PolicyDocument.Described policy, PolicyDocument.All answer) {
    if (!policy.name().equals(answer.policy())) {
      return "";
    }
    String chosen = answer.chosen() == null ? "" : ", uses " + Format.text(answer.chosen());
    String rule = answer.rule() == null ? "" : " by rule " + Format.text(answer.rule());
    return ", active" + rule + chosen;
  }

  private static String admission(AdmissionUse use) {
    return use.questions() == 0
        ? "admission: not asked so far, with %,d evictions".formatted(use.evictions())
        : "admission: asked %,d times, with %,d evictions; %,d blocks not admitted"
            .formatted(use.questions(), use.evictions(), use.rejectedBlocks());
  }

  private static List<String> settings(List<SettingValue> settings) {
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

  /**
   * Finds a policy.
   *
   * @param name null for the active one, or the one that it stands in for
   * @throws UserError if there is none
   */
  static PolicyDocument.Described find(@Nullable String name, PolicyDocument.All answer) {
    String active = answer.policy().equals(BuiltInLru.NAME) ? answer.configured() : answer.policy();
    String wanted = name == null ? active : name;
    return answer.policies().stream()
        .filter(each -> each.name().equals(wanted))
        .findFirst()
        .orElseThrow(() -> unknown(wanted, answer));
  }

  private static UserError unknown(String wanted, PolicyDocument.All answer) {
    List<String> names =
        answer.policies().stream().map(policy -> Format.text(policy.name())).toList();
    return new UserError(
        "no policy named '%s'%s; available: %s"
            .formatted(wanted, ForeignNames.POLICY.hint(wanted, names), names));
  }

  static List<String> changed(PolicyDocument.Changed answer) {
    String now = Format.text(answer.policy());
    String before = Format.text(answer.before());
    String said = "'%s' is active; the previous policy was '%s'".formatted(now, before);
    if (now.equals(before)) {
      said =
          (answer.changes().isEmpty()
                  ? "'%s' is active already"
                  : "'%s' is active with these settings")
              .formatted(now);
    }
    List<String> lines = new ArrayList<>(List.of(said));
    answer.changes().stream()
        .map(change -> Format.text(change.key()))
        .filter(key -> key.startsWith("ebb.eviction.policies."))
        .forEach(
            key -> lines.add("%s stays changed until 'ebb config unset %s'".formatted(key, key)));
    if (answer.rulesPaused()) {
      lines.add(RuleLines.PAUSED);
    }
    return lines;
  }

  static List<String> rolledBack(PolicyDocument.RolledBack answer) {
    String said =
        "%s is active again; the previous policy was '%s'"
            .formatted(SwitchTable.policy(answer.version()), Format.text(answer.before()));
    return answer.rulesPaused() ? List.of(said, RuleLines.PAUSED) : List.of(said);
  }

  static List<String> unquarantined(QuarantineDocument.Cleared answer) {
    String policy = Format.text(answer.policy());
    return List.of(
        "'%s' is no longer in quarantine; 'ebb policy set %s' activates it"
            .formatted(policy, policy));
  }
}
