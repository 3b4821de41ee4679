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
 * Something that a strategy has made, with its lease: the plugin is not unloaded before it is
 * closed. Until then, holding it keeps the plugin's classes in memory.
 *
 * @param <T> what was made
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

  /**
   * A strategy of the host's own.
   *
   * @param name its name
   * @param value what was made
   * @param <T> its type
   * @return an instance without a plugin
   */
  public static <T extends AutoCloseable> Instance<T> builtIn(String name, T value) {
    return new Instance<>(
        StrategyVersion.builtIn(name), "policy '" + name + "'", value, new Leases());
  }

  /**
   * What was made.
   *
   * @return the policy or predictor
   * @throws IllegalStateException if it is closed
   */
  public T value() {
    T made = value;
    if (made == null) {
      throw new IllegalStateException(what + " is closed");
    }
    return made;
  }

  /**
   * Which code it is.
   *
   * @return name, plugin, version and hash
   */
  public StrategyVersion version() {
    return version;
  }

  /**
   * Returns the predictors that it was given.
   *
   * @return which code they are
   */
  public Set<StrategyVersion> predictors() {
    return leases.predictors();
  }

  /** The same lease for something that stands before what was made, and closes it. */
  Instance<T> map(UnaryOperator<T> wrapper) {
    return new Instance<>(version, what, wrapper.apply(value()), leases);
  }

  /**
   * A policy for a cache, which closes it and with that ends its lease.
   *
   * @param name what the cache calls it
   * @param policy has been made for it
   * @return to be activated
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

  /** Ends the lease of something that has been closed by others. */
  public void release() {
    value = null;
    leases.close();
  }

  /**
   * Closes it, and ends its lease whatever comes of that.
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
