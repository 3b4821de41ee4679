package dev.ebb.host.tuning;

import dev.ebb.host.config.PolicySpec;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One combination of settings.
 *
 * @param spec the policy with these settings
 * @param settings the values by key; empty for the current settings
 */
public record TuningTrial(PolicySpec spec, Map<String, String> settings) {

  public TuningTrial {
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  /** Returns whether these are the current settings. */
  public boolean isCurrent() {
    return settings.isEmpty();
  }
}
