package dev.ebb.host.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.engine.pool.LaneWindows;
import dev.ebb.host.engine.prune.TokenPolicies;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.engine.request.PagePublisher;
import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import dev.ebb.host.engine.sequence.SequenceOffload;
import dev.ebb.host.engine.sequence.TokenPruner;
import dev.ebb.host.engine.tier.DevicePages;
import dev.ebb.host.engine.tier.DiskPages;
import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.engine.tier.PoolPages;
import dev.ebb.host.engine.tier.RemotePages;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.runtime.SiteConfigAppliers;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.TokenPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Binds the engine: a prefix cache on each pool, sequences over them, and the token pruner. */
final class EngineModule implements Module {

  private static final Logger LOG = LoggerFactory.getLogger(EngineModule.class);
  private static final int LARGEST_GHOST_WINDOW = 1 << 24;

  private final EbbOptions options;
  private final @Nullable Beside beside;

  /**
   * An engine beside another cache of the process: its memory is that of sequences of engines in
   * other processes.
   *
   * @param tokens the configuration that is active now
   * @param log the eviction log of the other cache
   * @param disk the files of the other cache; null if it has none
   * @param pages receives which pages are cached
   */
  record Beside(
      TokensConfig tokens, EvictionLog log, @Nullable TierFiles disk, PageListener pages) {}

  /** Creates a module; {@code beside} is null if the process has no other cache. */
  EngineModule(EbbOptions options, @Nullable Beside beside) {
    this.options = options;
    this.beside = beside;
  }

  @Override
  public void configure(Binder binder) {
    // All bindings are provider methods.
  }

  @Provides
  @Singleton
  EvictionLog log(EbbConfig config) {
    return beside == null ? new EvictionLog(config.eviction().logSize()) : beside.log;
  }

  @Provides
  @Singleton
  Engine engine(
      EbbConfig config, List<KvPool> pools, EvictionLog log, PolicyFactory factory, Closer opened) {
    Engine engine = new Engine();
    if (beside != null) {
      engine.sizeKey = ServerConfig.SEQUENCES.toString();
      engine.pageListener = beside.pages;
    } else if (config.server().kvEvents().enabled()) {
      engine.pageListener = publisher().start(config.server().kvEvents(), opened);
    }
    LaneWindows windows =
        options.windows().isEmpty()
            ? LaneWindows.none(options.layout().laneGroups())
            : LaneWindows.of(options.windows(), options.layout().blockTokens());
    pools.forEach(pool -> add(engine, config.eviction(), pool, windows, log));
    engine.pinBudget(config.eviction().pinBudget());
    OffloadConfig offload = config.pool().offload();
    HostPort server = offload.server();
    engine.offload = server == null ? null : new SequenceOffload(engine, offload, server);
    if (options.stateBytes() > 0) {
      requireOneDevice(engine, config, "recurrent states");
      engine.partitions.getFirst().keepStates(options.stateBytes());
    }
    if (!windows.areFull()) {
      requireOneDevice(engine, config, "windows");
      engine.partitions.getFirst().keepWindows(windows);
    }
    if (config.diskTier().isOn() && (beside == null || beside.disk != null)) {
      engine.disk =
          opened.add(
              DiskPages.open(
                  config.diskTier(),
                  beside == null ? null : beside.disk,
                  pages(engine.partitions.getFirst()),
                  engine.lock,
                  engine.freed,
                  engine.pageListener));
    }
    HostPort remote = config.remoteTier().server();
    if (remote != null && beside == null) {
      engine.remote =
          opened.add(
              new RemotePages(
                  config.remoteTier(),
                  remote,
                  pages(engine.partitions.getFirst()),
                  engine.lock,
                  engine.freed));
    }
    if (engine.disk != null || engine.remote != null) {
      for (DevicePartition each : engine.partitions) {
        each.pages =
            new DevicePages(
                engine.disk, engine.remote, each.pool, each.cache, each.cached::block, pages(each));
      }
    }
    String policy = config.scheduler().preemption().name();
    int blocks = pools.stream().mapToInt(KvPool::blocks).sum();
    engine.preemptWith(() -> preemption(policy, blocks, factory, opened));
    return engine;
  }

  private static PagePublisher publisher() {
    return ServiceLoader.load(PagePublisher.class, EngineModule.class.getClassLoader())
        .findFirst()
        .orElseThrow(() ->
            new UserError(
                "ebb.server.kv-events.enabled 'true' needs the artifact ebb-kvevents, which is not"
                    + " on the class path; add it, or set it to 'false'"));
  }

  private PageBytes pages(DevicePartition partition) {
    PageBytes own = options.pages();
    return own == null ? new PoolPages(partition.pool) : own;
  }

  private static void requireOneDevice(Engine engine, EbbConfig config, String model) {
    if (engine.offload != null) {
      throw new UserError(
          "ebb.pool.offload.server keeps no sequences of a model with %s; leave it out"
              .formatted(model));
    }
    boolean disk = config.diskTier().isOn();
    if (disk || config.remoteTier().server() != null) {
      throw new UserError(
          "%s keeps no prefixes of a model with %s; leave it out"
              .formatted(disk ? "ebb.tiers.disk.path" : "ebb.tiers.remote.server", model));
    }
    if (engine.partitions.size() > 1) {
      throw new UserError("ebb.pool.device: a model with %s uses one; name it".formatted(model));
    }
  }

  private static PreemptionPolicy preemption(
      String name, int blocks, PolicyFactory factory, Closer opened) {
    Optional<PreemptionRules> own = PreemptionRules.of(name);
    if (own.isPresent()) {
      return own.get();
    }
    PolicyPartition partition = new PolicyPartition("scheduler", blocks, System::nanoTime, 1);
    return opened.add(factory.createPreemptionPolicy(PolicySpec.of(name), partition)).value();
  }

  private static void add(
      Engine engine, EvictionConfig eviction, KvPool pool, LaneWindows windows, EvictionLog log) {
    int capacity = pool.blocks() / windows.unit();
    GhostWindow ghosts =
        new GhostWindow(Math.clamp(capacity, Ebb.SMALLEST_GHOST_WINDOW, LARGEST_GHOST_WINDOW));
    BlockCache cache = new InlineBlockCache(capacity, System::nanoTime, ghosts, OnFault.FALL_BACK);
    long unitBytes = (long) pool.layout().blockBytes() * windows.unit();
    cache.log(log, unitBytes, entry -> CachedBlocks.key(entry).getBytes(US_ASCII));
    if (eviction.respectPriority()) {
      cache.respectPriority();
    }
    DevicePartition added = engine.add(pool, cache, eviction.threshold(), eviction.target());
    if (!eviction.thresholdSet()) {
      added.evictOnDemand();
    }
    LOG.info(
        "started device={} blocks={} block-bytes={} policy={}",
        pool.device().name(),
        pool.blocks(),
        pool.layout().blockBytes(),
        eviction.policy().name());
  }

  @Provides
  @Singleton
  PolicySite site(Engine engine, EvictionLog log, EbbConfig config, Closer opened) {
    String name = beside == null ? null : ServerConfig.SEQUENCES_PART;
    return opened.add(new EngineSite(engine, log, PolicyRuntime.limits(config.eviction()), name));
  }

  @Provides
  @Singleton
  TokenPruner pruner(Engine engine, EbbConfig config, PolicyFactory factory, Closer opened) {
    PolicyPartition partition =
        new PolicyPartition(
            "tokens", engine.partitions.getFirst().pool.blocks(), System::nanoTime, 1);
    TokensConfig tokens = beside == null ? config.tokens() : beside.tokens;
    TokenPolicies policies =
        opened.add(
            new TokenPolicies(
                tokens,
                options.layout(),
                options.observations(),
                spec -> createTokenPolicy(factory, spec, partition),
                name -> factory.createTokenBudget(name, partition)));
    engine.signals.observed(options.observations());
    return new TokenPruner(engine, tokens, policies);
  }

  private StrategyInstance<TokenPolicy> createTokenPolicy(
      PolicyFactory factory, PolicySpec spec, PolicyPartition partition) {
    if (!options.windows().isEmpty()) {
      throw new UserError(
          "ebb.tokens.policy '%s' cannot drop tokens of a model with windows; set it to none"
              .formatted(spec.name()));
    }
    return factory.createTokenPolicy(spec, partition);
  }

  @Provides
  @Singleton
  CacheUpkeep upkeep(Engine engine, EbbConfig config, Closer opened) {
    return opened.add(new CacheUpkeep(engine, config.eviction().ttl()));
  }

  @Provides
  SiteConfigAppliers appliers(TokenPruner tokens, Engine engine, CacheUpkeep upkeep) {
    return new SiteConfigAppliers(
        Map.of(
            EvictionConfig.TTL,
            (changed, cause) -> upkeep.ttl(changed.eviction().ttl()),
            DiskTierConfig.ADMISSION,
            (changed, cause) -> {
              DiskPages disk = engine.disk;
              if (disk != null) {
                disk.admit(changed.diskTier().admission());
              }
            },
            EvictionConfig.PIN_BUDGET,
            (changed, cause) -> engine.pinBudget(changed.eviction().pinBudget()),
            TokensConfig.POLICY,
            (changed, cause) -> tokens.use(changed.tokens().policy().name())),
        tokens::reload);
  }

  @Provides
  @Singleton
  Ebb ebb(
      Closer opened, Engine engine, EbbConfig config, TokenPruner tokens, PolicyRuntime policies) {
    return new Ebb(opened, engine, config.pool().defrag(), tokens, policies);
  }
}
