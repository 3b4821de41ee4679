package dev.ebb.host.cli;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.SettingValue;
import dev.ebb.host.devkit.CandidateFolder;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.wiring.Host;
import java.util.ArrayList;
import java.util.List;

/** The block policies of a JAR that is compared. */
final class CandidateOptions {

  private final Host host;
  private final String jar;
  private final List<String> names;

  /**
   * Reads the strategies of the JAR.
   *
   * @throws UserError if it was not loaded, or has no block policy
   */
  CandidateOptions(Host host, CandidateFolder folder) {
    this.host = host;
    jar = folder.jar().getFileName().toString();
    PluginReport report =
        host.plugins().reports().stream()
            .filter(each -> each.file().getFileName().equals(folder.jar().getFileName()))
            .findFirst()
            .orElseThrow();
    if (report.state() != PluginState.LOADED || !report.reason().isEmpty()) {
      throw new UserError("'%s': %s".formatted(jar, report.reason()));
    }
    List<String> policies = report.strategies().get(StrategyKind.POLICY.plural());
    if (policies == null) {
      throw new UserError(
          "'%s' offers no block policy, and only those can be replayed; install it, and try %s"
              .formatted(jar, candidates(report)));
    }
    names = policies;
  }

  /**
   * Checks that the JAR has a policy.
   *
   * @throws UserError if it does not have it
   */
  void require(String policy) {
    if (!names.contains(policy)) {
      throw new UserError(
          "'%s' has no policy named '%s'; it has %s%s"
              .formatted(jar, policy, names, Suggestions.hint(policy, names)));
    }
  }

  /** Returns the commands that evaluate strategies of the other kinds. */
  private static String candidates(PluginReport report) {
    List<String> commands = new ArrayList<>();
    List<String> tokens =
        report.strategies().getOrDefault(StrategyKind.TOKEN_POLICY.plural(), List.of());
    if (!tokens.isEmpty()) {
      commands.add("'ebb tokens eval --policies %s'".formatted(String.join(",", tokens)));
    }
    report
        .strategies()
        .getOrDefault(StrategyKind.PREDICTOR.plural(), List.of())
        .forEach(name ->
            commands.add(
                "'ebb replay --synthetic chat --policies \"lru,lifetime(predictor=%s)\"'"
                    .formatted(name)));
    return String.join(" or ", commands);
  }

  /**
   * Returns the JAR's policies among the replayed ones, as they are shown.
   *
   * @throws UserError if there is none
   */
  List<String> among(List<PolicySpec> replayed) {
    List<String> shown =
        replayed.stream()
            .filter(policy -> names.contains(policy.name()))
            .map(PolicySpec::display)
            .toList();
    if (shown.isEmpty()) {
      throw new UserError(
          "--policies: '%s' names none of the policies of '%s', which are %s; name one of them too"
              .formatted(
                  String.join(",", replayed.stream().map(PolicySpec::display).toList()),
                  jar,
                  names));
    }
    return shown;
  }

  /**
   * Returns a policy with one of its settings, in the syntax of {@code --policies}; empty if none
   * has any.
   */
  String exampleOfSettings() {
    return names.stream()
        .flatMap(name ->
            settings(name).stream()
                .map(each -> "%s(%s=%s)".formatted(name, each.key(), each.value())))
        .findFirst()
        .orElse("");
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
