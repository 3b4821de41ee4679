package dev.ebb.host.engine;

import dev.ebb.host.cache.PendingSwitch;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.policy.Instance;
import dev.ebb.host.policy.PolicyFactory;
import java.util.ArrayList;
import java.util.List;

/** Activates policies, an instance for each device. The caches close them. */
final class EnginePolicies implements AutoCloseable {

  /** Policies that throw dice throw the same ones in each run. */
  private static final long SEED = 1;

  private final Engine engine;
  private final PolicyFactory factory;
  private boolean closed;

  EnginePolicies(Engine engine, PolicyFactory factory) {
    this.engine = engine;
    this.factory = factory;
  }

  /**
   * Activates a policy on all devices, or on none. It is told of the cached blocks at once;
   * sequences wait meanwhile.
   *
   * @throws UserError if there is no such policy, or it cannot take over; then the one before
   *     serves on
   */
  synchronized void install(String name) {
    List<PolicyCandidate> next = new ArrayList<>();
    try {
      engine.partitions.forEach(partition -> next.add(make(name, partition)));
    } catch (RuntimeException failed) {
      next.forEach(PolicyCandidate::discard);
      throw failed;
    }
    try {
      engine.locked(() -> {
        switchTo(next);
        return true;
      });
    } catch (PolicyFault fault) {
      throw new UserError(String.valueOf(fault.getMessage()));
    }
  }

  private void switchTo(List<PolicyCandidate> next) {
    List<PendingSwitch> takeovers = new ArrayList<>();
    try {
      for (int i = 0; i < next.size(); i++) {
        takeovers.add(engine.partitions.get(i).cache.begin(next.get(i)));
      }
      takeovers.forEach(PendingSwitch::publish);
    } catch (PolicyFault fault) {
      takeovers.forEach(PendingSwitch::cancel);
      next.stream().skip(takeovers.size() + 1L).forEach(PolicyCandidate::discard);
      throw fault;
    }
  }

  private PolicyCandidate make(String name, DevicePartition partition) {
    return Instance.successor(
        name,
        factory.create(
            name, partition.cache.capacityBlocks(), partition.name(), System::nanoTime, SEED));
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      engine.partitions.forEach(partition -> partition.cache.close());
    }
  }
}
