package dev.ebb.host.policy;

import com.typesafe.config.Config;
import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.cache.NoEviction;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.ProbationConfig;
import dev.ebb.host.config.SettingValue;
import dev.ebb.host.config.StrategySettings;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.Lease;
import dev.ebb.host.plugin.Leases;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenPolicy;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes strategies by name. An instance belongs to the caller, which closes it before the plugin
 * host closes. Until then its plugin stays loaded, even if the JAR is removed.
 */
public final class PolicyFactory {

  static final PolicyPartition CHECK_PARTITION = new PolicyPartition("check", 1024, () -> 0, 0);

  private final PluginHost plugins;
  private final AtomicLong changes = new AtomicLong();
  private volatile EbbConfig config;

  /**
   * Creates a factory.
   *
   * @param config the strategies' settings
   * @param plugins the source of strategies; open while the factory is used
   */
  @Inject
  public PolicyFactory(EbbConfig config, PluginHost plugins) {
    this.config = config;
    this.plugins = plugins;
  }

  /**
   * Replaces the settings for later instances. Existing ones keep theirs.
   *
   * @param next the strategies' settings
   * @return the previous ones
   */
  public EbbConfig configure(EbbConfig next) {
    EbbConfig before = config;
    config = next;
    changes.incrementAndGet();
    return before;
  }

  /**
   * Returns how often plugins or settings changed. A failed creation may be tried again when it
   * grows.
   *
   * @return a number that only grows
   */
  public long changes() {
    return changes.get() + plugins.changes();
  }

  /**
   * Returns the same plugins with other settings, for trials.
   *
   * @param next the strategies' settings
   * @return another factory; this one keeps its own
   */
  public PolicyFactory with(EbbConfig next) {
    return new PolicyFactory(next, plugins);
  }

  /**
   * Returns whether a block policy's settings would change.
   *
   * @param next the new configuration
   * @return whether they differ from the current ones
   */
  public boolean isOther(EbbConfig next, String name) {
    return !next.eviction().policies().of(name).equals(config.eviction().policies().of(name));
  }

  /**
   * Returns the configured settings of a block policy.
   *
   * @return the settings as written, by key; those with their default are left out
   */
  public Map<String, Object> configured(String name) {
    return new TreeMap<>(config.eviction().policies().of(name).root().unwrapped());
  }

  /**
   * Returns the block policies, without {@code none}.
   *
   * @return sorted names
   */
  public List<String> names() {
    return plugins.catalog().names(StrategyKind.POLICY);
  }

  /**
   * Returns the token policies.
   *
   * @return sorted names
   */
  public List<String> tokenPolicyNames() {
    return plugins.catalog().names(StrategyKind.TOKEN_POLICY);
  }

  /**
   * Makes a block policy as it is configured.
   *
   * @param name one of {@link #names}, or {@code none}
   * @param capacityBlocks its capacity, at least 1
   * @param partition its part of the cache, for messages and metrics
   * @param clock the time that entries record
   * @param seed of its random generator
   * @return a new policy that holds no entries
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public Instance<BlockPolicy<?>> create(
      String name, long capacityBlocks, String partition, PolicyClock clock, long seed) {
    return create(PolicySpec.of(name), new PolicyPartition(partition, capacityBlocks, clock, seed));
  }

  /**
   * Makes a block policy whose given settings override the configured ones.
   *
   * @param partition its part of the cache
   * @return a new policy that holds no entries
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public Instance<BlockPolicy<?>> create(PolicySpec spec, PolicyPartition partition) {
    return create(plugins::catalog, spec, partition);
  }

  /**
   * Makes a block policy of plugins that may not be active yet.
   *
   * @param catalog the plugins; replaced by the active one if it is out of date
   * @param spec the policy and its settings
   * @param partition its part of the cache
   * @return a new policy that holds no entries
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public Instance<BlockPolicy<?>> create(
      Supplier<PluginCatalog> catalog, PolicySpec spec, PolicyPartition partition) {
    if (spec.name().equals(NoEviction.NAME)) {
      return none(spec);
    }
    ProbationConfig probation = config.eviction().probation();
    if (probation.minAccesses() == 1) {
      return strategy(catalog, spec, partition);
    }
    long waiting = Probation.share(partition.capacityBlocks(), probation.ratio());
    long judged = Math.max(1, partition.capacityBlocks() - waiting);
    PolicyPartition rest =
        new PolicyPartition(partition.name(), judged, partition.clock(), partition.seed());
    return strategy(catalog, spec, rest)
        .map(policy ->
            Probation.before(
                spec.name(),
                policy,
                probation.minAccesses(),
                probation.ratio(),
                partition.capacityBlocks()));
  }

  private Instance<BlockPolicy<?>> strategy(
      Supplier<PluginCatalog> catalog, PolicySpec spec, PolicyPartition partition) {
    return create(
        catalog,
        StrategyKind.POLICY,
        spec,
        (strategy, leases) ->
            settings -> strategy.provider().create(context(catalog, partition, settings, leases)));
  }

  /**
   * Makes a token policy whose given settings override the configured ones.
   *
   * @param partition the part of the cache its sequences live in
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public Instance<TokenPolicy> createTokenPolicy(PolicySpec spec, PolicyPartition partition) {
    return create(
        plugins::catalog,
        StrategyKind.TOKEN_POLICY,
        spec,
        (strategy, leases) ->
            settings ->
                strategy.provider().create(context(plugins::catalog, partition, settings, leases)));
  }

  /**
   * Returns the code behind a policy's name.
   *
   * @param catalog the plugins
   * @param name one of its policies, or one of the host's own
   * @return its plugin, version and hash
   * @throws UserError if there is no such policy
   */
  public StrategyVersion version(PluginCatalog catalog, String name) {
    return name.equals(NoEviction.NAME) || name.equals(BuiltInLru.NAME)
        ? StrategyVersion.builtIn(name)
        : catalog.version(catalog.strategy(StrategyKind.POLICY, name));
  }

  /**
   * Makes a trial instance of a block policy.
   *
   * @param spec the policy and its settings
   * @return the problems of its name or settings, one message each; none if the plugin fails
   */
  public List<String> problems(PolicySpec spec) {
    try {
      create(spec, CHECK_PARTITION).close();
      return List.of();
    } catch (UserError wrong) {
      return wrong.messages();
    } catch (PluginFailure atFault) {
      return List.of();
    }
  }

  /**
   * Returns the settings of a block policy, found by a trial instance.
   *
   * @param name one of {@link #names}
   * @return its settings as they are configured
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public List<SettingValue> settings(String name) {
    List<SettingValue> asked = new ArrayList<>();
    Leases leases = new Leases();
    try {
      Strategy<BlockPolicyProvider> strategy =
          leased(plugins::catalog, StrategyKind.POLICY, name, leases).strategy();
      Creation creation = creation(strategy, PolicySpec.of(name));
      BlockPolicy<?> trial =
          creation.run(settings ->
              strategy
                  .provider()
                  .create(context(plugins::catalog, CHECK_PARTITION, settings, leases)));
      PluginCall.close(trial, "policy '" + name + "'");
      asked.addAll(creation.asked());
    } finally {
      leases.close();
    }
    return asked;
  }

  Instance<LifetimePredictor> createPredictor(String name, PolicyPartition partition) {
    return createPredictor(plugins::catalog, name, partition);
  }

  private Instance<LifetimePredictor> createPredictor(
      Supplier<PluginCatalog> catalog, String name, PolicyPartition partition) {
    return create(
        catalog,
        StrategyKind.PREDICTOR,
        PolicySpec.of(name),
        (strategy, leases) ->
            settings -> strategy.provider().create(context(catalog, partition, settings, leases)));
  }

  private <P, T extends AutoCloseable> Instance<T> create(
      Supplier<PluginCatalog> catalog,
      StrategyKind<P> kind,
      PolicySpec spec,
      BiFunction<Strategy<P>, Leases, Function<Settings, T>> provider) {
    Leases leases = new Leases();
    try {
      Leased<P> leased = leased(catalog, kind, spec.name(), leases);
      Strategy<P> strategy = leased.strategy();
      T made = creation(strategy, spec).run(provider.apply(strategy, leases));
      String what = "%s '%s'".formatted(kind.noun(), spec.name());
      return new Instance<>(leased.version(), what, made, leases);
    } catch (RuntimeException failed) {
      leases.close();
      throw failed;
    }
  }

  /** A strategy whose plugin stays loaded meanwhile. */
  private record Leased<P>(Strategy<P> strategy, StrategyVersion version) {}

  private static <P> Leased<P> leased(
      Supplier<PluginCatalog> catalogs, StrategyKind<P> kind, String name, Leases leases) {
    while (true) {
      PluginCatalog catalog = catalogs.get();
      // An unknown token policy cannot be made.
      Strategy<P> strategy = catalog.strategy(kind, name, kind == StrategyKind.POLICY);
      Lease lease = catalog.lease(strategy);
      if (lease != null) {
        leases.add(lease);
        return new Leased<>(strategy, catalog.version(strategy));
      }
      if (catalog == catalogs.get()) {
        throw new IllegalStateException("the plugins are closed");
      }
    }
  }

  private Creation creation(Strategy<?> strategy, PolicySpec spec) {
    StrategySettings configured = strategy.kind().settingsIn().apply(config);
    Config settings = spec.settings().withFallback(configured.of(spec.name()));
    return new Creation(strategy, configured.pathOf(spec.name()), settings);
  }

  private HostContext context(
      Supplier<PluginCatalog> catalog,
      PolicyPartition partition,
      Settings settings,
      Leases leases) {
    return new HostContext(
        partition.capacityBlocks(),
        partition.name(),
        settings,
        partition.clock(),
        new SplittableRandom(partition.seed()),
        name -> predictorFor(catalog, name, partition, leases));
  }

  /** Makes a predictor for a strategy; its problems are problems of a setting of both. */
  private LifetimePredictor predictorFor(
      Supplier<PluginCatalog> catalog, String name, PolicyPartition partition, Leases leases) {
    try {
      Instance<LifetimePredictor> made = createPredictor(catalog, name, partition);
      // The strategy closes its predictor; its plugin stays as long as the strategy.
      leases.add(made::release);
      leases.predictor(made.version());
      return made.value();
    } catch (UserError error) {
      throw new SettingException(String.join(System.lineSeparator(), error.messages()));
    }
  }

  private Instance<BlockPolicy<?>> none(PolicySpec spec) {
    if (!spec.settings().isEmpty() || !config.eviction().policies().of(NoEviction.NAME).isEmpty()) {
      throw new UserError("'" + spec.display() + "': the policy 'none' has no settings");
    }
    return Instance.builtIn(NoEviction.NAME, new NoEviction());
  }
}
