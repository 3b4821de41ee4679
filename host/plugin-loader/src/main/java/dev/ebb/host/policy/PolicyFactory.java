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
 * Makes strategies by name. An instance belongs to the caller, who closes it before the plugin host
 * closes; until then its plugin stays loaded, whatever becomes of the JAR.
 */
public final class PolicyFactory {

  static final PolicyPartition TRIAL = new PolicyPartition("check", 1024, () -> 0, 0);

  private final PluginHost plugins;
  private final AtomicLong changes = new AtomicLong();
  private volatile EbbConfig config;

  /**
   * A factory.
   *
   * @param config the strategies' settings
   * @param plugins where strategies come from; open while the factory is used
   */
  @Inject
  public PolicyFactory(EbbConfig config, PluginHost plugins) {
    this.config = config;
    this.plugins = plugins;
  }

  /**
   * Takes other settings for what is made from now on. What has been made keeps its own.
   *
   * @param next the strategies' settings
   * @return those before
   */
  public EbbConfig configure(EbbConfig next) {
    EbbConfig before = config;
    config = next;
    changes.incrementAndGet();
    return before;
  }

  /**
   * How often other plugins or other settings have come. What could not be made may be tried again
   * when it grows.
   *
   * @return a number that only grows
   */
  public long changes() {
    return changes.get() + plugins.changes();
  }

  /**
   * The same plugins with other settings, to try them out.
   *
   * @param next the strategies' settings
   * @return another factory; this one keeps its own
   */
  public PolicyFactory with(EbbConfig next) {
    return new PolicyFactory(next, plugins);
  }

  /**
   * Whether a block policy would be made with other settings.
   *
   * @param next what would be configured
   * @param name the policy
   * @return whether its settings differ from those that it would be made with now
   */
  public boolean isOther(EbbConfig next, String name) {
    return !next.eviction().policies().of(name).equals(config.eviction().policies().of(name));
  }

  /**
   * What is configured for a block policy.
   *
   * @param name the policy
   * @return its settings as they are written, by key; those with their default are left out
   */
  public Map<String, Object> configured(String name) {
    return new TreeMap<>(config.eviction().policies().of(name).root().unwrapped());
  }

  /**
   * The block policies that can be made, beside {@code none}.
   *
   * @return sorted names
   */
  public List<String> names() {
    return plugins.catalog().names(StrategyKind.POLICY);
  }

  /**
   * The token policies that can be made.
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
   * @param capacityBlocks the capacity it is responsible for, at least 1
   * @param partition the part of the cache, for messages and metrics
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
   * Makes a block policy with settings of its own over those configured.
   *
   * @param spec the policy and its settings
   * @param partition the part of the cache it is responsible for
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
   * @param catalog what there is; asked again if it is out of date
   * @param spec the policy and its settings
   * @param partition the part of the cache it is responsible for
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
   * Makes a token policy with settings of its own over those configured.
   *
   * @param spec the policy and its settings
   * @param partition the part of the cache its sequences live in
   * @return a new policy
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
   * Which code goes by a policy's name.
   *
   * @param catalog what there is
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
   * Tries a block policy out.
   *
   * @param spec the policy and its settings
   * @return what is wrong with its name or settings, one message each; a plugin that fails says
   *     nothing about them
   */
  public List<String> problems(PolicySpec spec) {
    try {
      create(spec, TRIAL).close();
      return List.of();
    } catch (UserError wrong) {
      return wrong.messages();
    } catch (PluginFailure atFault) {
      return List.of();
    }
  }

  /**
   * What a block policy can be told. Tries it out.
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
              strategy.provider().create(context(plugins::catalog, TRIAL, settings, leases)));
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

  /** A strategy whose plugin is not unloaded meanwhile. */
  private record Leased<P>(Strategy<P> strategy, StrategyVersion version) {}

  private static <P> Leased<P> leased(
      Supplier<PluginCatalog> catalogs, StrategyKind<P> kind, String name, Leases leases) {
    while (true) {
      PluginCatalog catalog = catalogs.get();
      // Of a token policy that is none nothing can be made.
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

  /** A strategy asks for a predictor, so what is wrong with it is wrong with a setting of both. */
  private LifetimePredictor predictorFor(
      Supplier<PluginCatalog> catalog, String name, PolicyPartition partition, Leases leases) {
    try {
      Instance<LifetimePredictor> made = createPredictor(catalog, name, partition);
      // The strategy closes its predictor; its plugin stays as long as the strategy is there.
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
