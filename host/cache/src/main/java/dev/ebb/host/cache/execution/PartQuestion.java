package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PartChoice;
import org.jspecify.annotations.Nullable;

/**
 * Asks a policy which object of a chunk is evicted while its chunk stays, and checks the answer. A
 * wrong one is counted, and the next eviction follows the host's order.
 */
final class PartQuestion {

  private final CacheState state;
  private final PartChoice choice = new PartChoice();
  private @Nullable Entry proposed;
  private int proposedGroup;
  private boolean pending;
  private boolean threw;
  private boolean wrong;

  PartQuestion(CacheState state) {
    this.state = state;
  }

  /** Prepares the question for a policy that chooses; returns false if it is not to be asked. */
  boolean prepare(PolicyConsumer<?> policy) {
    if (!policy.choosesParts()) {
      return false;
    }
    boolean asks = !wrong && state.evictable() > 0;
    wrong = false;
    pending = asks && state.propose(choice);
    proposed = choice.entry();
    proposedGroup = choice.group();
    return pending;
  }

  /** Asks, if that was prepared. Returns whether there is an answer other than none. */
  boolean ask(PolicyConsumer<?> policy, Demand demand) {
    threw = pending && !policy.choosePart(demand, choice);
    pending &= threw || choice.entry() != null;
    return pending;
  }

  boolean isAnswered() {
    return pending;
  }

  /** Evicts the chosen part; returns 0 if the host's order is to be followed now. */
  long evict(PolicyConsumer<?> policy, int level, EvictedBy by) {
    pending = false;
    CacheEntry entry = threw ? null : policy.chosen(choice, state.slots);
    boolean removed = entry != null && !entry.resident();
    long freed = entry == null || removed ? 0 : state.thin(entry, choice.group(), level, by);
    wrong = freed == 0;
    // The host may itself propose what clients are reading.
    boolean own = threw || choice.entry() != proposed || choice.group() != proposedGroup;
    if (wrong && own && !removed) {
      state.counters.ignored(PolicyFault.Kind.CHOSE_WRONG_PART);
    }
    // It may be an object of the policy's own, whose class must not be kept.
    choice.none();
    return freed;
  }
}
