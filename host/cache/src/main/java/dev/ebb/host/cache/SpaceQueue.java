package dev.ebb.host.cache;

import dev.ebb.spi.RemovalCause;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for room, first come first served: a large claim is not passed by small ones for ever.
 * Used under the owner's lock, which a wait gives up.
 */
final class SpaceQueue {

  private final ThreadedPolicyExecutor seat;
  private final CacheState account;
  private final PolicySwitch succession;
  private final SampledLru sampled;
  private final Condition settled;
  private final Condition work;
  private final ArrayDeque<SpaceRequest> queue = new ArrayDeque<>();
  private long waits;

  SpaceQueue(
      ThreadedPolicyExecutor seat,
      CacheState account,
      PolicySwitch succession,
      Condition settled,
      Condition work) {
    this.seat = seat;
    this.account = account;
    this.succession = succession;
    this.settled = settled;
    this.work = work;
    sampled = new SampledLru(account.slots);
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** The claim to be met next. */
  @Nullable SpaceRequest first() {
    return queue.peekFirst();
  }

  long waits() {
    return waits;
  }

  /** The first claim may have been met, or never can be. */
  void look() {
    if (!queue.isEmpty()) {
      settled.signalAll();
    }
  }

  /**
   * Waits until a claim is met.
   *
   * @return false if it cannot be
   */
  boolean await(SpaceRequest claim) {
    StallDetector patience = new StallDetector(seat.deadlineNanos());
    boolean waited = false;
    queue.addLast(claim);
    try {
      while (true) {
        PolicyThread policy = succession.live();
        if (queue.peekFirst() == claim) {
          if (claim.missing(account) <= 0) {
            return true;
          }
          if (succession.isClosed() || !claim.canBeMet(account) || keepsAll(policy)) {
            return false;
          }
          if (policy == null || patience.isStalled(policy)) {
            free(claim);
            continue;
          }
          if (patience.isOver(policy)) {
            succession.abandon(
                policy,
                PolicyFault.Kind.OVERRAN,
                "did not answer within its deadline of %d ms"
                    .formatted(seat.deadlineNanos() / 1_000_000));
            continue;
          }
        }
        waits += waited ? 0 : 1;
        waited = true;
        work.signalAll();
        boolean whole = Uninterruptibles.slice(settled, patience.sliceNanos());
        if (policy != null && queue.peekFirst() == claim) {
          patience.waited(policy, whole);
        }
      }
    } finally {
      queue.remove(claim);
      look();
    }
  }

  private static boolean keepsAll(@Nullable PolicyThread policy) {
    return policy != null && policy.consumer().policy() instanceof NoEviction;
  }

  /** Frees what is missing at once, without a policy. */
  private void free(SpaceRequest claim) {
    PassMeter pass =
        new PassMeter(account, claim.reason(), EvictedBy.FALLBACK, claim.missing(account));
    while (claim.missing(account) > 0) {
      CacheEntry victim = sampled.victim();
      if (victim == null) {
        break;
      }
      claim.evicted(victim.blocks);
      pass.evicted(victim.blocks);
      account.drop(victim, RemovalCause.EVICTED, EvictedBy.FALLBACK);
    }
    pass.end(BuiltInLru.NAME);
  }
}
