package dev.ebb.host.policy;

import com.typesafe.config.Config;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.ProbationConfig;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.Lease;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.tokens.BudgetRules;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.PreemptionPolicyProvider;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes strategies by name. An instance belongs to the caller, which closes it before the plugin
 * host closes. Until then its plugin stays loaded, even if the JAR is removed.
 */
public final class PolicyFactory {

  /** The policies of the host itself. */
  public static final Set<String> BUILT_IN =
      Set.of(NoEviction.NAME, BuiltInLru.NAME, AutoPolicy.NAME);

  static final PolicyPartition CHECK_PARTITION = new PolicyPartition("check", 1024, () -> 0, 0);

  private final PluginHost plugins;
  private final boolean synchronous;
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
    this(config, plugins, false);
  }

  private PolicyFactory(EbbConfig config, PluginHost plugins, boolean synchronous) {
    this.config = config;
    this.plugins = plugins;
    this.synchronous = synchronous;
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
    return changes.get() + pluginChanges();
  }

  /** Returns how often plugins changed: a number that only grows. */
  public long pluginChanges() {
    return plugins.changes();
  }

  /**
   * Returns the same plugins with other settings, for trials.
   *
   * @param next the strategies' settings
   */
  public PolicyFactory with(EbbConfig next) {
    return new PolicyFactory(next, plugins, synchronous);
  }

  /** Returns a factory for replays: its policies wait for their background tasks. */
  public PolicyFactory synchronous() {
    return new PolicyFactory(config, plugins, true);
  }

  /** Returns whether a block policy's settings would change. */
  public boolean isChanged(EbbConfig next, String name) {
    return !next.eviction().policies().of(name).equals(config.eviction().policies().of(name));
  }

  /** Returns the explicit settings of a block policy as written, by key. */
  public Map<String, Object> configured(String name) {
    return new TreeMap<>(config.eviction().policies().of(name).root().unwrapped());
  }

  /** Returns the sorted names of the block policies of plugins. */
  public List<String> names() {
    return plugins.catalog().names(StrategyKind.POLICY);
  }

  /** Returns the sorted names of the preemption policies of plugins. */
  public List<String> preemptionPolicyNames() {
    return plugins.catalog().names(StrategyKind.PREEMPTION);
  }

  /** Returns the sorted names of the token policies. */
  public List<String> tokenPolicyNames() {
    return plugins.catalog().names(StrategyKind.TOKEN_POLICY);
  }

  /**
   * Makes a block policy whose given settings override the configured ones.
   *
   * @param spec one of {@link #names}, {@code auto} or {@code none}, and its settings
   * @param partition its part of the cache
   * @return a new policy that holds no entries
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public StrategyInstance<BlockPolicy<?>> create(PolicySpec spec, PolicyPartition partition) {
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
  public StrategyInstance<BlockPolicy<?>> create(
      Supplier<PluginCatalog> catalog, PolicySpec spec, PolicyPartition partition) {
    if (spec.name().equals(NoEviction.NAME)) {
      return none(spec);
    }
    if (spec.name().equals(AutoPolicy.NAME)) {
      return AutoFactory.create(this, catalog, spec, partition);
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
        .wrap(policy ->
            Probation.before(
                spec.name(),
                policy,
                probation.minAccesses(),
                probation.ratio(),
                partition.capacityBlocks()));
  }

  /** Returns the settings of an automatic choice. */
  AutoSettings autoSettings(PolicySpec spec) {
    return AutoSettings.read(config.eviction().policies(), spec);
  }

  /**
   * Returns the policies that the configured one chooses among.
   *
   * @return their names; none if the configured policy is not {@code auto}
   * @throws UserError if its settings are wrong
   */
  public static List<String> chosenAmong(EbbConfig config) {
    return config.eviction().policy().name().equals(AutoPolicy.NAME)
        ? AutoSettings.read(config.eviction().policies(), PolicySpec.of(AutoPolicy.NAME))
            .orThrow()
            .policies()
            .stream()
            .map(PolicySpec::name)
            .toList()
        : List.of();
  }

  /**
   * Makes a block policy.
   *
   * @param wrappers the policies that contain it, the outer one first
   */
  private StrategyInstance<BlockPolicy<?>> strategy(
      Supplier<PluginCatalog> catalog,
      PolicySpec spec,
      PolicyPartition partition,
      String... wrappers) {
    List<String> path = Stream.concat(Stream.of(wrappers), Stream.of(spec.name())).toList();
    return create(catalog, StrategyKind.POLICY, spec, partition, path, BlockPolicyProvider::create);
  }

  /** Makes a policy for one that wraps it; its problems are problems of a setting of both. */
  private BlockPolicy<?> wrapped(
      Supplier<PluginCatalog> catalog,
      String name,
      PolicyPartition partition,
      StrategyInstance<?> wrapper,
      List<String> path) {
    try {
      PolicySpec spec = PolicySpec.parse(name, "policy '%s'".formatted(path.getLast()));
      if (path.contains(spec.name())) {
        throw new SettingException(
            "policy '%s' would contain itself (%s); name another one"
                .formatted(spec.name(), String.join(" > ", path)));
      }
      StrategyInstance<BlockPolicy<?>> made =
          strategy(catalog, spec, partition, path.toArray(String[]::new));
      wrapper.add(made);
      return made.value();
    } catch (UserError error) {
      throw asSetting(error);
    }
  }

  private static SettingException asSetting(UserError error) {
    return new SettingException(String.join(System.lineSeparator(), error.messages()));
  }

  /**
   * Makes a token policy whose given settings override the configured ones.
   *
   * @param partition the part of the cache its sequences live in
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public StrategyInstance<TokenPolicy> createTokenPolicy(
      PolicySpec spec, PolicyPartition partition) {
    return create(StrategyKind.TOKEN_POLICY, spec, partition, TokenPolicyProvider::create);
  }

  /**
   * Makes a token budget: one of Ebb itself, or a plugin's.
   *
   * @param partition the part of the cache its sequences live in
   * @throws UserError if there is no such budget, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public StrategyInstance<TokenBudget> createTokenBudget(String name, PolicyPartition partition) {
    return BudgetRules.of(name)
        .map(own -> StrategyInstance.builtIn(name, own))
        .orElseGet(() ->
            create(
                StrategyKind.TOKEN_BUDGET,
                PolicySpec.of(name),
                partition,
                TokenBudgetProvider::create));
  }

  /**
   * Makes a preemption policy of a plugin. Given settings override the configured ones.
   *
   * @param partition the memory of the sequences
   * @throws UserError if no plugin offers it, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public StrategyInstance<PreemptionPolicy> createPreemptionPolicy(
      PolicySpec spec, PolicyPartition partition) {
    return create(StrategyKind.PREEMPTION, spec, partition, PreemptionPolicyProvider::create);
  }

  /**
   * Returns the code behind a policy's name.
   *
   * @param name one of its policies, or one of the host's own
   * @throws UserError if there is no such policy
   */
  public StrategyVersion version(PluginCatalog catalog, String name) {
    return BUILT_IN.contains(name)
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
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public List<SettingValue> settings(String name) {
    return trial(name).settings();
  }

  /**
   * Returns the allowed values of those settings of a block policy that are choices.
   *
   * @param name one of {@link #names}
   * @throws UserError if there is no such policy, or a setting is wrong
   * @throws PluginFailure if the plugin fails
   */
  public Map<String, List<String>> choices(String name) {
    return trial(name).choices();
  }

  private StrategyInstance<BlockPolicy<?>> trial(String name) {
    PolicySpec spec = PolicySpec.of(name);
    StrategyInstance<BlockPolicy<?>> trial =
        name.equals(AutoPolicy.NAME)
            ? create(spec, CHECK_PARTITION)
            : strategy(plugins::catalog, spec, CHECK_PARTITION);
    trial.close();
    return trial;
  }

  /** Makes a trial instance of a strategy of a plugin. */
  <P> StrategyInstance<?> trial(StrategyKind<P> kind, String name) {
    PolicySpec spec = PolicySpec.of(name);
    return kind == StrategyKind.POLICY
        ? create(spec, CHECK_PARTITION)
        : create(kind, spec, CHECK_PARTITION, kind.create());
  }

  private <P, T extends AutoCloseable> StrategyInstance<T> create(
      StrategyKind<P> kind,
      PolicySpec spec,
      PolicyPartition partition,
      BiFunction<P, PolicyContext, T> making) {
    return create(plugins::catalog, kind, spec, partition, List.of(), making);
  }

  /**
   * Makes a strategy.
   *
   * @param path its name and those of the policies that contain it, the outer one first
   */
  private <P, T extends AutoCloseable> StrategyInstance<T> create(
      Supplier<PluginCatalog> catalogs,
      StrategyKind<P> kind,
      PolicySpec spec,
      PolicyPartition partition,
      List<String> path,
      BiFunction<P, PolicyContext, T> making) {
    while (true) {
      PluginCatalog catalog = catalogs.get();
      // An unknown token policy cannot be made.
      Strategy<P> strategy = catalog.strategy(kind, spec.name(), kind == StrategyKind.POLICY);
      Lease lease = catalog.lease(strategy);
      if (lease != null) {
        StrategyInstance<T> instance =
            new StrategyInstance<>(
                catalog.version(strategy), "%s '%s'".formatted(kind.noun(), spec.name()));
        instance.add(lease);
        instance.leases(catalog.leases(strategy));
        StrategySettings configured = kind.settingsIn().apply(config);
        Config given = spec.settings().withFallback(configured.of(spec.name()));
        try {
          instance.create(
              strategy,
              configured.pathOf(spec.name()),
              given,
              settings ->
                  making.apply(
                      strategy.provider(),
                      context(catalogs, kind, partition, path, settings, instance)));
          return instance;
        } catch (RuntimeException failed) {
          instance.release();
          throw failed;
        }
      }
      if (catalog == catalogs.get()) {
        throw new IllegalStateException("the plugins are closed");
      }
    }
  }

  private HostContext context(
      Supplier<PluginCatalog> catalog,
      StrategyKind<?> kind,
      PolicyPartition partition,
      List<String> path,
      Settings settings,
      StrategyInstance<?> instance) {
    boolean ofPolicy = kind == StrategyKind.POLICY;
    return new HostContext(
        partition.capacityBlocks(),
        partition.name(),
        settings,
        partition.clock(),
        new SplittableRandom(partition.seed()),
        name -> predictorFor(catalog, name, partition, instance),
        name -> wrapped(catalog, name, partition, instance, supported(ofPolicy, "policy", path)),
        () ->
            supported(ofPolicy || kind == StrategyKind.PREDICTOR, "background", instance)
                .background(synchronous));
  }

  private static <T> T supported(boolean is, String what, T value) {
    if (!is) {
      throw new UnsupportedOperationException(what);
    }
    return value;
  }

  /** Makes a predictor for a strategy; its problems are problems of a setting of both. */
  private LifetimePredictor predictorFor(
      Supplier<PluginCatalog> catalog,
      String name,
      PolicyPartition partition,
      StrategyInstance<?> user) {
    try {
      StrategyInstance<LifetimePredictor> made =
          create(
              catalog,
              StrategyKind.PREDICTOR,
              PolicySpec.of(name),
              partition,
              List.of(),
              LifetimePredictorProvider::create);
      user.add(made);
      return made.value();
    } catch (UserError error) {
      throw asSetting(error);
    }
  }

  private StrategyInstance<BlockPolicy<?>> none(PolicySpec spec) {
    if (!spec.settings().isEmpty() || !config.eviction().policies().of(NoEviction.NAME).isEmpty()) {
      throw new UserError("'" + spec.display() + "': the policy 'none' has no settings");
    }
    return StrategyInstance.builtIn(NoEviction.NAME, new NoEviction());
  }
}
