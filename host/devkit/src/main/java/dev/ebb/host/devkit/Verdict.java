package dev.ebb.host.devkit;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of verifying a JAR.
 *
 * @param id its plugin id, null if not known
 * @param version its version, null if not known
 * @param findings one for each check, in the order they were made
 * @param costs one for each block policy and number of residents
 */
public record Verdict(
    Path file,
    @Nullable String id,
    @Nullable String version,
    List<VerifyFinding> findings,
    List<Cost> costs) {

  public Verdict {
    findings = List.copyOf(findings);
    costs = List.copyOf(costs);
  }

  /** Returns whether the JAR may be used. */
  public boolean passed() {
    return findings.stream().allMatch(finding -> finding.passed() || !finding.run());
  }
}
