package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.spi.Demand;
import org.jspecify.annotations.Nullable;

/** The reusable demand that the cache hands to its policy. */
final class EvictionDemand implements Demand {

  private long blocks;
  private Reason reason = Reason.ALLOCATION;
  private RequestFacts asker = RequestFacts.UNKNOWN;

  /** What a waiting client wants admitted; null if the policy has nothing to decide. */
  @Nullable AdmissionCandidate newcomer;

  /** Blocks evicted so far for that client. */
  long newcomerFreed;

  void set(long blocks, Reason reason, RequestFacts asker) {
    this.blocks = blocks;
    this.reason = reason;
    this.asker = asker;
  }

  void freed(long count) {
    blocks -= count;
  }

  @Override
  public long blocks() {
    return blocks;
  }

  @Override
  public Reason reason() {
    return reason;
  }

  @Override
  public int priority() {
    return asker.priority();
  }

  @Override
  public @Nullable String tenant() {
    return asker.tenant();
  }
}
