package dev.ebb.host.cache.index;

import dev.ebb.spi.Demand;
import org.jspecify.annotations.Nullable;

/** Frees blocks in the order of the active policy. */
@FunctionalInterface
public interface BlockEvictor {

  /** Frees so many blocks, if so many can be evicted. Returns the blocks freed. */
  long evict(
      long blocks, Demand.Reason reason, RequestFacts asker, @Nullable AdmissionCandidate newcomer);
}
