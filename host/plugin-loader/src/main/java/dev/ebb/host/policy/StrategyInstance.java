package dev.ebb.host.policy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.config.key.ConfiguredSettings;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.Lease;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An object made by a strategy from its settings. Its plugin, and those of its predictors, stay
 * loaded until it is closed. Holding it until then keeps the plugin's classes in memory.
 *
 * @param <T> a policy or a predictor
 */
public final class StrategyInstance<T extends AutoCloseable> implements AutoCloseable {

  /** The most lines of one exception that are reported as problems. */
  private static final int MOST_LINES = 100;

  private final StrategyVersion version;
  private final String what;
  private final List<Lease> leases = new ArrayList<>();
  private final Set<StrategyVersion> uses = new LinkedHashSet<>();
  private List<SettingValue> settings = List.of();
  private Map<String, List<String>> choices = Map.of();
  private boolean released;
  private volatile @Nullable T value;

  /** An instance without a value, to be created. */
  StrategyInstance(StrategyVersion version, String what) {
    this.version = version;
    this.what = what;
  }

  /** Returns an object of the host's own, without a plugin. */
  public static <T extends AutoCloseable> StrategyInstance<T> builtIn(String name, T value) {
    StrategyInstance<T> instance =
        new StrategyInstance<>(StrategyVersion.builtIn(name), "policy '" + name + "'");
    instance.value = value;
    return instance;
  }

  /**
   * Makes an instance of a strategy that stays loaded without a lease.
   *
   * @param path the section of the settings, for messages
   * @param given the user's settings, without the plugin's defaults
   * @param provider makes the object from its settings
   * @throws UserError if settings are wrong or unknown
   * @throws PluginFailure if the plugin fails
   */
  public static <T extends AutoCloseable> StrategyInstance<T> of(
      Strategy<?> strategy, String path, Config given, Function<Settings, T> provider) {
    StrategyInstance<T> instance =
        new StrategyInstance<>(
            StrategyVersion.builtIn(strategy.name()),
            "%s '%s'".formatted(strategy.kind().noun(), strategy.name()));
    instance.create(strategy, path, given, provider);
    return instance;
  }

  /**
   * Creates the object, or reports every problem in its settings. A provider stops at the first
   * wrong setting, so it is called again without that one.
   */
  void create(Strategy<?> strategy, String path, Config given, Function<Settings, T> provider) {
    List<String> problems = new ArrayList<>();
    Config remaining = given;
    while (true) {
      ConfiguredSettings attempt =
          new ConfiguredSettings(
              path, remaining.withFallback(strategy.defaults()), strategy.defaults());
      try {
        T made = call(strategy, provider, attempt);
        problems.addAll(attempt.unknown(what));
        if (!problems.isEmpty()) {
          PluginCall.close(made, what);
          throw new UserError(problems);
        }
        settings = attempt.asked();
        choices = attempt.choices();
        value = made;
        return;
      } catch (SettingException wrong) {
        UntrustedText.message(wrong)
            .lines()
            .limit(MOST_LINES)
            .map(UntrustedText::line)
            .forEach(problems::add);
        String rejected = attempt.rejected();
        if (rejected == null || !remaining.root().containsKey(rejected)) {
          throw new UserError(problems);
        }
        remaining = remaining.withoutPath(ConfigUtil.joinPath(rejected));
      }
    }
  }

  private T call(Strategy<?> strategy, Function<Settings, T> provider, Settings attempt) {
    return PluginCall.bounded(
        strategy.owner(),
        "%s of plugin '%s' failed in create".formatted(what, strategy.pluginId()),
        () -> {
          T made = provider.apply(attempt);
          if (made == null) {
            throw new IllegalStateException("create returned null");
          }
          return made;
        });
  }

  /**
   * Adds a lease that ends with the instance; immediately if it has ended, because a provider that
   * was abandoned may still ask for a predictor.
   */
  synchronized void add(Lease lease) {
    if (released) {
      lease.close();
    } else {
      leases.add(lease);
    }
  }

  /** Adds a strategy that the object closes; its plugin stays loaded as long as this one. */
  synchronized void add(StrategyInstance<?> used) {
    add(used::release);
    uses.add(used.version());
    uses.addAll(used.uses());
  }

  /** Sets an object of the host's own that uses other strategies. */
  StrategyInstance<T> of(T made, List<SettingValue> read) {
    value = made;
    settings = read;
    return this;
  }

  /** Replaces the object by a wrapper, which closes it. */
  StrategyInstance<T> wrap(UnaryOperator<T> wrapper) {
    value = wrapper.apply(value());
    return this;
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

  /** Returns the code of the predictors and policies that it uses, also after it is closed. */
  public synchronized Set<StrategyVersion> uses() {
    return Set.copyOf(uses);
  }

  /** Returns the settings that the provider read. */
  public List<SettingValue> settings() {
    return settings;
  }

  /** Returns the allowed values of each setting that is a choice, by key. */
  public Map<String, List<String>> choices() {
    return choices;
  }

  /**
   * Returns a policy for a cache, which closes it and so ends its lease.
   *
   * @param name its name in the cache
   * @param policy the policy made for it
   */
  public static PolicyCandidate candidate(
      String name, StrategyInstance<? extends BlockPolicy<?>> policy) {
    Runnable release = policy::release;
    return new PolicyCandidate(name, policy.value()) {
      @Override
      protected void closed() {
        release.run();
      }
    };
  }

  /** Ends the lease of an object that was closed elsewhere. */
  public synchronized void release() {
    value = null;
    released = true;
    leases.forEach(Lease::close);
    leases.clear();
  }

  /**
   * Closes it, and ends its lease in any case.
   *
   * @throws PluginFailure if the plugin threw
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
