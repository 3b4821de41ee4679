package dev.ebb.host.policy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.PolicyFault;
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
import java.util.function.Supplier;
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
  private final List<BackgroundTasks> tasks = new ArrayList<>();
  private @Nullable BackgroundTasks own;
  private List<SettingValue> settings = List.of();
  private Map<String, List<String>> choices = Map.of();
  private Supplier<@Nullable Lease> moreLeases = () -> null;
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

  /** Sets where background tasks get leases of their own. */
  void leases(Supplier<@Nullable Lease> more) {
    moreLeases = more;
  }

  /**
   * Returns the executor of the object that is being created, which ends with it.
   *
   * @param synchronous whether the object waits for each task
   */
  synchronized BackgroundTasks background(boolean synchronous) {
    if (value != null || released) {
      throw new IllegalStateException("call background() before create() returns");
    }
    if (own == null) {
      own = new BackgroundTasks(version.name(), synchronous, moreLeases);
      tasks.add(own);
    }
    return own;
  }

  /** Adds a strategy that the object closes; its plugin stays loaded as long as this one. */
  synchronized void add(StrategyInstance<?> used) {
    add(used::release);
    tasks.addAll(used.tasks);
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

  public StrategyVersion version() {
    return version;
  }

  /** Returns the code of the predictors and policies that it uses, also after it is closed. */
  public synchronized Set<StrategyVersion> uses() {
    return Set.copyOf(uses);
  }

  public List<SettingValue> settings() {
    return settings;
  }

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
    Runnable cancel = policy::cancelTasks;
    return new PolicyCandidate(name, policy.value(), policy.betweenEvents()) {
      @Override
      protected void failed(PolicyFault fault) {
        cancel.run();
      }

      @Override
      protected void closed() {
        release.run();
      }
    };
  }

  /** Returns what is to be called on the policy's thread before each event; null if nothing is. */
  public synchronized @Nullable Runnable betweenEvents() {
    List<BackgroundTasks> all = List.copyOf(tasks);
    return switch (all.size()) {
      case 0 -> null;
      case 1 -> all.getFirst()::betweenEvents;
      default -> () -> all.forEach(BackgroundTasks::betweenEvents);
    };
  }

  /** Interrupts the background tasks of an object that failed and may never be closed. */
  public synchronized void cancelTasks() {
    tasks.forEach(BackgroundTasks::cancel);
  }

  /** Ends the background tasks and the lease of an object that was closed elsewhere. */
  public void release() {
    List<BackgroundTasks> running;
    List<Lease> ending;
    synchronized (this) {
      value = null;
      released = true;
      running = List.copyOf(tasks);
      ending = List.copyOf(leases);
      tasks.clear();
      leases.clear();
    }
    running.forEach(BackgroundTasks::close);
    ending.forEach(Lease::close);
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
