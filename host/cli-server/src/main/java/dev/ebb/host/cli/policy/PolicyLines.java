package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.QuarantineDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Policies for a terminal. */
public final class PolicyLines {

  private static final Columns<SettingValue> SETTINGS =
      Columns.of(
          SettingValue.class,
          """
          SETTING | {key}
          VALUE | {value}
          DEFAULT | {defaultValue}
          """);

  private static final TextTemplate<PolicyDocument.Described> PLUGIN =
      TextTemplate.of(
          PolicyDocument.Described.class,
          "{name}[{?plugin}, of {plugin} {version}][{!plugin}{!problem}, built in]");

  private static final TextTemplate<PolicyDocument.All> ACTIVE =
      TextTemplate.of(PolicyDocument.All.class, ", active[ by rule {rule}][, uses {chosen}]");

  private static final TextTemplate<QuarantineDocument> QUARANTINE =
      TextTemplate.of(QuarantineDocument.class, "in quarantine since {since:moment}: {reason}");

  private static final TextTemplate<PolicyDocument.All> NOW =
      TextTemplate.of(
          PolicyDocument.All.class,
          """
          [{standIn}]
          [{policy}, which uses {chosen} now]
          [rule {rule} has activated {policy}; the configured policy is {configured}]
          [{?rulesPaused}%s]
          """
              .formatted(RuleLines.PAUSED),
          new Computed<>("standIn", PolicyLines::standIn));

  private static final TextTemplate<AdmissionUse> ADMISSION =
      TextTemplate.of(
          AdmissionUse.class,
          "[{!questions}admission: not asked so far, with {evictions:count} evictions]"
              + "[{?questions}admission: asked {questions:count} times, with {evictions:count}"
              + " evictions; {rejectedBlocks:count} blocks not admitted]");

  static final TextTemplate<QuarantineDocument.Cleared> UNQUARANTINED =
      TextTemplate.of(
          QuarantineDocument.Cleared.class,
          "'{policy}' is no longer in quarantine; 'ebb policy set {policy}' activates it");

  private PolicyLines() {}

  /** The name of a policy, and what it uses if it chooses among others. */
  public static String name(ProcessDocument.Active policy) {
    return Format.text(policy.name())
        + (policy.chosen() == null ? "" : ", which uses " + Format.text(policy.chosen()));
  }

  /** Returns whether another policy than the configured one is active. */
  public static boolean isStandIn(ProcessDocument.Active policy) {
    return !policy.name().equals(policy.configured());
  }

  /** A table of all, and what is wrong with some. */
  static List<String> list(PolicyDocument.All answer) {
    Columns<PolicyDocument.Described> columns =
        Columns.of(
            PolicyDocument.Described.class,
            """
             | [{?active}*][{!active}{?quarantine}!]
            POLICY | {name}
            PLUGIN | {plugin}
            VERSION | {version}
            SETTINGS | {values}
            """,
            new Computed<>("active", policy -> policy.name().equals(answer.policy())),
            new Computed<>("values", PolicyLines::values));
    List<String> lines = new ArrayList<>(columns.lines(answer.policies()));
    answer.policies().stream()
        .filter(policy -> policy.problem() != null)
        .map(policy -> Format.text(policy.name()) + ": " + Format.text(policy.problem()))
        .forEach(lines::add);
    lines.addAll(NOW.lines(answer));
    return lines;
  }

  private static String values(PolicyDocument.Described policy) {
    return policy.settings().stream()
        .map(each -> Format.text(each.key()) + "=" + Format.text(each.value()))
        .collect(Collectors.joining(", "));
  }

  /** What serves while the configured policy cannot; null while it can. */
  private static @Nullable String standIn(PolicyDocument.All answer) {
    String configured = Format.text(answer.configured());
    return answer.policy().equals(BuiltInLru.NAME)
        ? "%s, the host's own order, is active in place of %s; 'ebb policy show %s' says why"
            .formatted(BuiltInLru.NAME, configured, configured)
        : null;
  }

  /**
   * One policy with its settings.
   *
   * @param name null for the active one
   */
  static List<String> show(@Nullable String name, PolicyDocument.All answer) {
    PolicyDocument.Described policy = find(name, answer);
    boolean active = policy.name().equals(answer.policy());
    List<String> lines = new ArrayList<>();
    lines.add(PLUGIN.line(policy) + (active ? ACTIVE.line(answer) : ""));
    QuarantineDocument quarantine = policy.quarantine();
    if (quarantine != null) {
      lines.addAll(QUARANTINE.lines(quarantine));
      quarantine
          .stack()
          .lines()
          .map(line -> "  " + KeyText.printable(line.strip()))
          .forEach(lines::add);
    }
    if (policy.problem() != null) {
      lines.add(
          (active ? "stays active, but cannot be chosen again: " : "cannot be used: ")
              + Format.text(policy.problem()));
    }
    lines.addAll(
        policy.settings().isEmpty()
            ? List.of("it has no settings")
            : SETTINGS.lines(policy.settings()));
    if (answer.admission() != null && active) {
      lines.addAll(ADMISSION.lines(answer.admission()));
    }
    String standIn = standIn(answer);
    if (name == null && standIn != null) {
      lines.add(standIn);
    }
    return lines;
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
    List<String> lines = new ArrayList<>();
    lines.add(
        !now.equals(before)
            ? "'%s' is active; the previous policy was '%s'".formatted(now, before)
            : answer.changes().isEmpty()
                ? "'%s' is active already".formatted(now)
                : "'%s' is active with these settings".formatted(now));
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
}
