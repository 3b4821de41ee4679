package dev.ebb.host.policy;

import com.typesafe.config.Config;
import dev.ebb.host.cache.NoEviction;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.ProbationConfig;
import dev.ebb.host.config.SettingValue;
import dev.ebb.host.config.StrategySettings;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import dev.ebb.spi.TokenPolicy;
import jakarta.inject.Inject;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Makes strategies by name. An instance belongs to the caller, who closes it with {@link
 * dev.ebb.host.plugin.PluginCall#close} before the plugin host closes.
 */
public final class PolicyFactory {

  static final Partition TRIAL = new Partition("check", 1024, () -> 0, 0);

  private final EbbConfig config;
  private final PluginHost plugins;

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
   * The block policies that can be made, beside {@code none}.
   *
   * @return sorted names
   */
  public List<String> names() {
    return plugins.catalog().names(StrategyKind.POLICY);
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
  public BlockPolicy<?> create(
      String name, long capacityBlocks, String partition, PolicyClock clock, long seed) {
    return create(PolicySpec.of(name), new Partition(partition, capacityBlocks, clock, seed));
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
  public BlockPolicy<?> create(PolicySpec spec, Partition partition) {
    if (spec.name().equals(NoEviction.NAME)) {
      return none(spec);
    }
    ProbationConfig probation = config.eviction().probation();
    if (probation.minAccesses() == 1) {
      return strategy(spec, partition);
    }
    long waiting = Probation.share(partition.capacityBlocks(), probation.ratio());
    long judged = Math.max(1, partition.capacityBlocks() - waiting);
    Partition rest = new Partition(partition.name(), judged, partition.clock(), partition.seed());
    return Probation.before(
        strategy(spec, rest),
        probation.minAccesses(),
        probation.ratio(),
        partition.capacityBlocks());
  }

  private BlockPolicy<?> strategy(PolicySpec spec, Partition partition) {
    return create(
        StrategyKind.POLICY,
        spec,
        strategy -> settings -> strategy.provider().create(context(partition, settings)));
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
  public TokenPolicy createTokenPolicy(PolicySpec spec, Partition partition) {
    return create(
        StrategyKind.TOKEN_POLICY,
        spec,
        strategy -> settings -> strategy.provider().create(context(partition, settings)));
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
      PluginCall.close(create(spec, TRIAL), "policy '" + spec.name() + "'");
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
    Strategy<BlockPolicyProvider> strategy = plugins.catalog().strategy(StrategyKind.POLICY, name);
    Creation creation = creation(strategy, PolicySpec.of(name));
    BlockPolicy<?> trial =
        creation.run(settings -> strategy.provider().create(context(TRIAL, settings)));
    PluginCall.close(trial, "policy '" + name + "'");
    return creation.asked();
  }

  LifetimePredictor createPredictor(String name, Partition partition) {
    return create(
        StrategyKind.PREDICTOR,
        PolicySpec.of(name),
        strategy -> settings -> strategy.provider().create(context(partition, settings)));
  }

  private <P, T extends AutoCloseable> T create(
      StrategyKind<P> kind,
      PolicySpec spec,
      Function<Strategy<P>, Function<Settings, T>> provider) {
    Strategy<P> strategy = plugins.catalog().strategy(kind, spec.name());
    return creation(strategy, spec).run(provider.apply(strategy));
  }

  private Creation creation(Strategy<?> strategy, PolicySpec spec) {
    StrategySettings configured = strategy.kind().settingsIn().apply(config);
    Config settings = spec.settings().withFallback(configured.of(spec.name()));
    return new Creation(strategy, configured.pathOf(spec.name()), settings);
  }

  private HostContext context(Partition partition, Settings settings) {
    return new HostContext(
        partition.capacityBlocks(),
        partition.name(),
        settings,
        partition.clock(),
        new SplittableRandom(partition.seed()),
        name -> predictorFor(name, partition));
  }

  /** A strategy asks for a predictor, so what is wrong with it is wrong with a setting of both. */
  private LifetimePredictor predictorFor(String name, Partition partition) {
    try {
      return createPredictor(name, partition);
    } catch (UserError error) {
      throw new SettingException(String.join(System.lineSeparator(), error.messages()));
    }
  }

  private static BlockPolicy<?> none(PolicySpec spec) {
    if (!spec.settings().isEmpty()) {
      throw new UserError("'" + spec.display() + "': the policy 'none' has no settings");
    }
    return new NoEviction();
  }
}
