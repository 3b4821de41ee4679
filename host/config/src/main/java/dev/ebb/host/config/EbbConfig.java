package dev.ebb.host.config;

import dev.ebb.host.config.engine.EngineConfig;
import dev.ebb.host.config.engine.SchedulerConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.server.AdminConfig;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.config.server.ServerConfig;
import java.nio.file.Path;
import java.util.List;

/** The whole configuration. */
public record EbbConfig(
    PoolConfig pool,
    DiskTierConfig diskTier,
    RemoteTierConfig remoteTier,
    EvictionConfig eviction,
    EvictionLogConfig evictionLog,
    ShadowConfig shadow,
    StateConfig state,
    PluginsConfig plugins,
    TokensConfig tokens,
    SchedulerConfig scheduler,
    EngineConfig engine,
    ServerConfig server,
    AdminConfig admin,
    ClusterConfig cluster,
    LogConfig log,
    TracingConfig tracing,
    List<TenantQuota> tenants) {

  static EbbConfig read(ConfigReader reader) {
    return new EbbConfig(
        PoolConfig.read(reader),
        DiskTierConfig.read(reader),
        RemoteTierConfig.read(reader),
        EvictionConfig.read(reader),
        EvictionLogConfig.read(reader),
        ShadowConfig.read(reader),
        StateConfig.read(reader),
        PluginsConfig.read(reader),
        TokensConfig.read(reader),
        SchedulerConfig.read(reader),
        EngineConfig.read(reader),
        ServerConfig.read(reader),
        AdminConfig.read(reader),
        ClusterConfig.read(reader),
        LogConfig.read(reader),
        TracingConfig.read(reader),
        TenantQuota.read(reader));
  }

  public EbbConfig {
    tenants = List.copyOf(tenants);
  }

  /** Returns the same with another folder of plugin JARs. */
  public EbbConfig withPluginFolder(Path folder) {
    return with(eviction, plugins.withFolder(folder));
  }

  /** Returns the same with another policy, and some of its settings. */
  EbbConfig with(PolicySpec wanted, String source) {
    return with(eviction.with(wanted, source), plugins);
  }

  private EbbConfig with(EvictionConfig otherEviction, PluginsConfig otherPlugins) {
    return new EbbConfig(
        pool,
        diskTier,
        remoteTier,
        otherEviction,
        evictionLog,
        shadow,
        state,
        otherPlugins,
        tokens,
        scheduler,
        engine,
        server,
        admin,
        cluster,
        log,
        tracing,
        tenants);
  }
}
