package dev.ebb.host.policy;

import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.plugin.Leases;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.spi.BlockPolicy;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An object made by a strategy, with its lease: the plugin stays loaded until it is closed. Until
 * then, holding it keeps the plugin's classes in memory.
 */
public final class Instance<T extends AutoCloseable> implements AutoCloseable {

  private final StrategyVersion version;
  private final String what;
  private volatile @Nullable T value;
  private final Leases leases;

  Instance(StrategyVersion version, String what, T value, Leases leases) {
    this.version = version;
    this.what = what;
    this.value = value;
    this.leases = leases;
  }

  /** Returns an object of the host's own, without a plugin. */
  public static <T extends AutoCloseable> Instance<T> builtIn(String name, T value) {
    return new Instance<>(
        StrategyVersion.builtIn(name), "policy '" + name + "'", value, new Leases());
  }

  /**
   * Returns the policy or predictor.
   *
   * @throws IllegalStateException if it is closed
   */
  public T value() {
    T made = value;
    if (made == null) {
      throw new IllegalStateException(what + " is closed");
    }
    return made;
  }

  /** Returns the code behind its name. */
  public StrategyVersion version() {
    return version;
  }

  /** Returns the code of its predictors. */
  public Set<StrategyVersion> predictors() {
    return leases.predictors();
  }

  /** Returns the same lease for a wrapper of the object, which closes it. */
  Instance<T> map(UnaryOperator<T> wrapper) {
    return new Instance<>(version, what, wrapper.apply(value()), leases);
  }

  /**
   * Returns a policy for a cache, which closes it and so ends its lease.
   *
   * @param name its name in the cache
   * @param policy the policy made for it
   */
  public static PolicyCandidate successor(String name, Instance<? extends BlockPolicy<?>> policy) {
    Runnable release = policy::release;
    return new PolicyCandidate(name, policy.value()) {
      @Override
      protected void closed() {
        release.run();
      }
    };
  }

  /** Ends the lease of an object that was closed elsewhere. */
  public void release() {
    value = null;
    leases.close();
  }

  /**
   * Closes it, and ends its lease in any case.
   *
   * @throws dev.ebb.host.plugin.PluginFailure if the plugin threw
   */
  @Override
  public void close() {
    T made = value;
    if (made == null) {
      return;
    }
    try {
      PluginCall.close(made, what);
    } finally {
      release();
    }
  }
}
