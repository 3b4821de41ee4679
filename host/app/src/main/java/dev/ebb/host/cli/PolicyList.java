package dev.ebb.host.cli;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.policy.PolicyFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the option {@code --policies} of a replay asks for. */
final class PolicyList {

  private PolicyList() {}

  /**
   * Reads the list; what is wrong with it may be told only when the plugins are known.
   *
   * @param text as given; null for all that are installed
   * @throws UserError if it is not written as a list is, or a name or setting is wrong
   */
  static List<PolicySpec> read(@Nullable String text, PolicyFactory installed) {
    if (text == null) {
      return installed.names().stream().map(PolicySpec::of).toList();
    }
    List<PolicySpec> policies = PolicySpec.parseList(text, "--policies");
    UserError.throwIfAny(
        policies.stream()
            .flatMap(policy -> installed.problems(policy).stream())
            .distinct()
            // A setting's message names where it was read.
            .map(problem -> problem.startsWith("--policies") ? problem : "--policies: " + problem)
            .toList());
    return policies;
  }
}
