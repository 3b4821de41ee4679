package dev.ebb.host.admin.policy;

import dev.ebb.host.runtime.RuntimeConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The active configuration.
 *
 * @param version how often it has been changed, from 1
 * @param afterRestart keys of the file that take effect after a restart
 */
public record ConfigDocument(
    long version, List<Value> values, List<String> fileProblems, List<String> afterRestart) {

  /** A value and the file, option or call that it comes from; null if it is the default. */
  public record Value(String key, Object value, @Nullable String origin, boolean changeable) {}

  /** The result of a change, or of a dry run. */
  public record Changed(
      long version,
      boolean committed,
      List<RuntimeConfig.Change> changes,
      String policy,
      boolean rulesPaused) {}
}
