package dev.ebb.host.testing;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/**
 * Passes entries and victims on to another policy; tests override some methods. It does not pass on
 * requests, admission, scores and gauges.
 */
public abstract class DelegatingPolicy<N> implements BlockPolicy<N> {

  private final BlockPolicy<N> policy;

  protected DelegatingPolicy(BlockPolicy<N> policy) {
    this.policy = policy;
  }

  @Override
  public N inserted(Entry entry) {
    return policy.inserted(entry);
  }

  @Override
  public void accessed(N node) {
    policy.accessed(node);
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    return policy.victim(demand);
  }

  @Override
  public void removed(N node, RemovalCause cause) {
    policy.removed(node, cause);
  }

  @Override
  public void refused(N node) {
    policy.refused(node);
  }

  @Override
  public void released(N node) {
    policy.released(node);
  }

  @Override
  public long size() {
    return policy.size();
  }
}
