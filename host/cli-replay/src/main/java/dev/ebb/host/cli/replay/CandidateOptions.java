package dev.ebb.host.cli.replay;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.devkit.CandidateFolder;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.tuning.SettingRange;
import dev.ebb.host.units.ShellWord;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The block policies of a JAR that is compared. */
public final class CandidateOptions {

  private final Host host;
  private final String jar;
  private final List<String> names;

  /**
   * Reads the block policies of the JAR.
   *
   * @throws UserError if it was refused, or has none
   */
  public CandidateOptions(Host host, CandidateFolder folder) {
    this.host = host;
    jar = folder.jar().getFileName().toString();
    names =
        report(host, folder, StrategyKind.POLICY)
            .strategies()
            .getOrDefault(StrategyKind.POLICY.plural(), List.of());
  }

  /**
   * Returns what was loaded of the JAR.
   *
   * @param usable the kinds that the command can use
   * @throws UserError if it was refused, or offers none of these kinds
   */
  static PluginReport report(Host host, CandidateFolder folder, StrategyKind<?>... usable) {
    Path name = folder.jar().getFileName();
    PluginReport report =
        host.plugins().reports().stream()
            .filter(each -> each.file().getFileName().equals(name))
            .findFirst()
            .orElseThrow();
    if (report.state() != PluginState.LOADED || !report.reason().isEmpty()) {
      throw new UserError("'%s': %s".formatted(name, report.reason()));
    }
    List<String> wanted = Arrays.stream(usable).map(StrategyKind::plural).toList();
    if (Collections.disjoint(wanted, report.strategies().keySet())) {
      throw new UserError(
          "'%s' offers only %s, and this command evaluates %s%s"
              .formatted(
                  name,
                  kinds(report.strategies().keySet()),
                  kinds(wanted),
                  otherCommands(report, folder.source())));
    }
    return report;
  }

  /**
   * Checks that a strategy of the JAR takes part.
   *
   * @param own the names of its strategies
   * @throws UserError if none of them is among the named ones
   */
  static void requireOne(Collection<String> own, Collection<String> named, Object jar) {
    if (Collections.disjoint(own, named)) {
      throw new UserError(
          "--policies: '%s' names none of the policies of '%s', which are %s; name one of them too"
              .formatted(String.join(",", named), jar, own));
    }
  }

  /**
   * Checks that the JAR has a policy.
   *
   * @throws UserError if it does not have it
   */
  void require(String policy) {
    if (!names.contains(policy)) {
      throw new UserError(
          "'%s' has no policy named '%s'%s; it has %s"
              .formatted(jar, policy, Suggestions.hint(policy, names), names));
    }
  }

  private static String kinds(Collection<String> plurals) {
    return String.join(" and ", plurals).replace('-', ' ');
  }

  /** Returns the hint at the commands that evaluate the strategies of the JAR. */
  private static String otherCommands(PluginReport report, Path source) {
    String file = ShellWord.quote(source.toString());
    List<String> commands = new ArrayList<>();
    if (report.strategies().containsKey(StrategyKind.POLICY.plural())) {
      commands.add("'ebb plugins bench %s'".formatted(file));
    }
    List<String> tokens =
        report.strategies().getOrDefault(StrategyKind.TOKEN_POLICY.plural(), List.of());
    if (!tokens.isEmpty()) {
      commands.add(
          "'ebb tokens eval --jar %s --policies %s'".formatted(file, String.join(",", tokens)));
    }
    report
        .strategies()
        .getOrDefault(StrategyKind.PREDICTOR.plural(), List.of())
        .forEach(name ->
            commands.add(
                "'ebb replay --synthetic chat --jar %s --policies \"lru,lifetime(predictor=%s)\"'"
                    .formatted(file, name)));
    return commands.isEmpty() ? "" : "; try " + String.join(" or ", commands);
  }

  /**
   * Returns the JAR's policies among the replayed ones, as they are shown.
   *
   * @throws UserError if there is none
   */
  public List<String> among(List<PolicySpec> replayed) {
    requireOne(names, replayed.stream().map(PolicySpec::name).toList(), jar);
    return replayed.stream()
        .filter(policy -> names.contains(policy.name()))
        .map(PolicySpec::display)
        .toList();
  }

  /**
   * Returns a policy with another value of one of its settings, in the syntax of {@code
   * --policies}; empty if there is none.
   */
  public String exampleOfSettings() {
    return names.stream()
        .flatMap(name ->
            settings(name).stream()
                .flatMap(each ->
                    otherValue(name, each).stream()
                        .map(value -> "%s(%s=%s)".formatted(name, each.key(), value))))
        .findFirst()
        .orElse("");
  }

  /** Returns the next larger of the values that {@code ebb tune} would try, if there is one. */
  private Optional<String> otherValue(String name, SettingValue setting) {
    List<String> others =
        TuneSearch.around(
                name,
                List.of(setting),
                host.policies().choices(name),
                new ArrayList<>(),
                host.policies()::problems)
            .stream()
            .flatMap(range -> range.values().stream())
            .filter(value -> !SettingRange.isSame(value, setting.value()))
            .toList();
    return others.isEmpty() ? Optional.empty() : Optional.of(others.get(others.size() / 2));
  }

  private List<SettingValue> settings(String name) {
    try {
      return host.policies().settings(name);
    } catch (UserError | PluginFailure failure) {
      // The replay reports the problem.
      return List.of();
    }
  }
}
