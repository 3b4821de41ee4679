package dev.ebb.host.store;

import dev.ebb.host.cache.PendingSwitch;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.SwitchTimes;
import java.util.ArrayList;
import java.util.List;

/**
 * A policy that stands by in every part of a store: either it comes into force in all of them at
 * one moment, or in none.
 */
public final class PreparedPolicy {

  private final List<StorePartition> partitions;
  private final List<PendingSwitch> takeovers = new ArrayList<>();

  private PreparedPolicy(List<StorePartition> partitions) {
    this.partitions = partitions;
  }

  static PreparedPolicy begin(List<StorePartition> partitions, List<PolicyCandidate> successors) {
    PreparedPolicy prepared = new PreparedPolicy(partitions);
    try {
      for (int i = 0; i < partitions.size(); i++) {
        StorePartition partition = partitions.get(i);
        PolicyCandidate successor = successors.get(i);
        prepared.takeovers.add(partition.locked(() -> partition.cache.begin(successor)));
      }
      prepared.await();
      return prepared;
    } catch (RuntimeException failed) {
      prepared.cancel();
      // What no cache was given nobody else closes; nothing of it has run but its making.
      int given = prepared.takeovers.size() + (failed instanceof PolicyFault ? 1 : 0);
      successors.stream().skip(given).forEach(PolicyCandidate::discard);
      throw failed;
    }
  }

  private void await() {
    for (int i = 0; i < takeovers.size(); i++) {
      PendingSwitch takeover = takeovers.get(i);
      partitions
          .get(i)
          .locked(() -> {
            takeover.await();
            return true;
          });
    }
  }

  /**
   * Puts it in force everywhere, while nobody uses the store.
   *
   * @param exchanged runs at that moment; quick
   * @throws dev.ebb.host.cache.PolicyFault if it has failed somewhere since; then all are let go
   */
  public void publish(Runnable exchanged) {
    try {
      publish(0, exchanged);
    } catch (RuntimeException failed) {
      cancel();
      throw failed;
    }
  }

  /** All parts are locked in their order, so that no two publications wait for each other. */
  private void publish(int locked, Runnable exchanged) {
    if (locked < partitions.size()) {
      partitions
          .get(locked)
          .locked(() -> {
            publish(locked + 1, exchanged);
            return true;
          });
    } else {
      takeovers.forEach(PendingSwitch::check);
      takeovers.forEach(PendingSwitch::publish);
      exchanged.run();
    }
  }

  /** Lets it go everywhere. The one before serves on. */
  public void cancel() {
    for (int i = 0; i < takeovers.size(); i++) {
      PendingSwitch takeover = takeovers.get(i);
      partitions
          .get(i)
          .locked(() -> {
            takeover.cancel();
            return true;
          });
    }
  }

  /**
   * How long it took.
   *
   * @return the longest of all parts
   */
  public SwitchTimes times() {
    SwitchTimes longest = SwitchTimes.NONE;
    for (int i = 0; i < takeovers.size(); i++) {
      PendingSwitch takeover = takeovers.get(i);
      longest = longest.longest(partitions.get(i).locked(takeover::times));
    }
    return longest;
  }
}
