package dev.ebb.host.cli.replay;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.policy.PolicyFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The option {@code --policies} of a replay. */
public final class PolicyList {

  private PolicyList() {}

  /**
   * Parses the list; some mistakes are known only after the plugins.
   *
   * @param text as given; null for all installed ones
   * @throws UserError if its syntax, a name or a setting is wrong
   */
  public static List<PolicySpec> read(@Nullable String text, PolicyFactory installed) {
    if (text == null) {
      return installed.names().stream().map(PolicySpec::of).toList();
    }
    List<PolicySpec> policies = PolicySpec.parseList(text, "--policies");
    UserError.throwIfAny(
        policies.stream()
            .flatMap(policy -> installed.problems(policy).stream())
            .distinct()
            // A setting's message names its origin.
            .map(problem -> problem.startsWith("--policies") ? problem : "--policies: " + problem)
            .toList());
    return policies;
  }
}
