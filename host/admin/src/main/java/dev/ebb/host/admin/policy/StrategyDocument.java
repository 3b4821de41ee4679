package dev.ebb.host.admin.policy;

import dev.ebb.host.plugin.StrategyVersion;
import org.jspecify.annotations.Nullable;

/** The code behind a policy's name. */
public record StrategyDocument(
    String policy, @Nullable String plugin, @Nullable String version, @Nullable String sha256) {

  static StrategyDocument of(StrategyVersion version) {
    return new StrategyDocument(
        version.name(), version.plugin(), version.version(), version.sha256());
  }
}
