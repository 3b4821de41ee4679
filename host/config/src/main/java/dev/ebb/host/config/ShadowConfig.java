package dev.ebb.host.config;

import java.util.List;

/**
 * {@code ebb.shadow}.
 *
 * @param policies the candidates, each a name with settings in parentheses if wanted
 * @param rate the share of keys that is sampled, above 0 and at most 1; 0 for one that fits
 */
public record ShadowConfig(List<PolicySpec> policies, double rate) {

  /** Takes a copy of the list. */
  public ShadowConfig {
    policies = List.copyOf(policies);
  }
}
