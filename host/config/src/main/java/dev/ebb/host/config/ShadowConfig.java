package dev.ebb.host.config;

import java.util.List;

/**
 * {@code ebb.shadow}.
 *
 * @param policies the candidates, each a name with settings in parentheses if wanted
 * @param rate the share of sampled keys, above 0 and at most 1; 0 for automatic
 */
public record ShadowConfig(List<PolicySpec> policies, double rate) {

  public ShadowConfig {
    policies = List.copyOf(policies);
  }
}
