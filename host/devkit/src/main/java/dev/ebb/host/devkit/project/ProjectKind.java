package dev.ebb.host.devkit.project;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PreemptionPolicyProvider;
import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.Locale;

/** The kind of strategy in a new project. */
public enum ProjectKind {
  /** A block policy: evicts cache entries. */
  POLICY(BlockPolicyProvider.class, "block policy", "writing-a-policy.md"),
  /** A token policy: drops tokens inside a sequence. */
  TOKEN_POLICY(TokenPolicyProvider.class, "token policy", "writing-a-token-policy.md"),
  /** A token budget: divides kept tokens among layers and heads. */
  TOKEN_BUDGET(TokenBudgetProvider.class, "token budget", "writing-a-token-policy.md"),
  /** A lifetime predictor: predicts how long an entry will be useful. */
  PREDICTOR(LifetimePredictorProvider.class, "lifetime predictor", "writing-a-predictor.md"),
  /** A preemption policy: selects the running sequence that loses its memory. */
  PREEMPTION(PreemptionPolicyProvider.class, "preemption policy", "writing-a-preemption-policy.md");

  private final Class<?> service;
  private final String noun;
  private final String guide;

  ProjectKind(Class<?> service, String noun, String guide) {
    this.service = service;
    this.noun = noun;
    this.guide = guide;
  }

  Class<?> service() {
    return service;
  }

  String noun() {
    return noun;
  }

  String guide() {
    return guide;
  }

  /** Returns the test kit's class with the tests of its contract. */
  String contract() {
    return service.getSimpleName().replaceFirst("Provider$", "Contract");
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
