package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code workload-aware}: learns when each kind of request is used again. */
public final class WorkloadAwareProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public WorkloadAwareProvider() {}

  @Override
  public String name() {
    return "workload-aware";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new WorkloadAwarePolicy();
  }
}
