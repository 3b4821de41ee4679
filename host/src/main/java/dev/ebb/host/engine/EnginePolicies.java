package dev.ebb.host.engine;

import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.spi.BlockPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts policies in force, an instance for each device, and closes them. Whichever is in force at
 * the end, those that came from a plugin are closed as such.
 */
final class EnginePolicies implements AutoCloseable {

  /** Policies that throw dice throw the same ones in each run. */
  private static final long SEED = 1;

  private record Made(String name, BlockPolicy<?> policy) {

    void close() {
      PluginCall.close(policy, "policy '" + name + "'");
    }
  }

  private final Engine engine;
  private final PolicyFactory factory;
  private final Map<Partition, Made> made = new HashMap<>();

  EnginePolicies(Engine engine, PolicyFactory factory) {
    this.engine = engine;
    this.factory = factory;
  }

  /**
   * Puts a policy in force on all devices. It is told of the cached blocks at once; sequences wait
   * meanwhile.
   *
   * @throws UserError if there is no such policy, or it cannot take over; then the one before
   *     serves on
   */
  synchronized void install(String name) {
    Map<Partition, Made> next = new HashMap<>();
    try {
      engine.partitions.forEach(partition -> next.put(partition, make(name, partition)));
    } catch (RuntimeException failed) {
      next.values().forEach(Made::close);
      throw failed;
    }
    List<Partition> changed = new ArrayList<>();
    try {
      engine.locked(() -> {
        for (Partition partition : engine.partitions) {
          install(partition, next);
          changed.add(partition);
        }
        return true;
      });
    } catch (PolicyFault fault) {
      next.values().forEach(Made::close);
      changed.forEach(this::installAnew);
      throw new UserError(String.valueOf(fault.getMessage()));
    }
    List<Made> before = List.copyOf(made.values());
    made.putAll(next);
    before.forEach(Made::close);
  }

  private static void install(Partition partition, Map<Partition, Made> next) {
    Made policy = next.get(partition);
    if (policy != null) {
      partition.cache.install(policy.name(), policy.policy());
    }
  }

  /** The policy that was in force here has forgotten its entries, so that it needs another copy. */
  private void installAnew(Partition partition) {
    Made before = made.get(partition);
    if (before != null) {
      Made again = make(before.name(), partition);
      engine.locked(() -> {
        partition.cache.install(again.name(), again.policy());
        return true;
      });
      made.put(partition, again);
      before.close();
    }
  }

  private Made make(String name, Partition partition) {
    return new Made(
        name,
        factory.create(
            name, partition.cache.capacityBlocks(), partition.name(), System::nanoTime, SEED));
  }

  @Override
  public synchronized void close() {
    made.values().forEach(Made::close);
    made.clear();
  }
}
