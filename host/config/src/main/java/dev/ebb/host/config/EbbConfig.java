package dev.ebb.host.config;

import dev.ebb.host.config.engine.EngineConfig;
import dev.ebb.host.config.engine.SchedulerConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.key.Section;
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
    List<TenantQuota> tenants,
    ServerConfig server,
    AdminConfig admin,
    LogConfig log,
    TracingConfig tracing,
    ClusterConfig cluster,
    PluginsConfig plugins,
    TokensConfig tokens,
    SchedulerConfig scheduler,
    EngineConfig engine) {

  static final Section<EbbConfig> SECTION =
      new Section<>(EbbConfig.class, "")
          .section(PoolConfig.SECTION)
          .section(DiskTierConfig.SECTION)
          .section(RemoteTierConfig.SECTION)
          .section(EvictionConfig.SECTION)
          .section(EvictionLogConfig.SECTION)
          .section(ShadowConfig.SECTION)
          .section(StateConfig.SECTION)
          .read(TenantQuota::read, TenantQuota.TENANTS)
          .section(ServerConfig.SECTION)
          .section(AdminConfig.SECTION)
          .section(LogConfig.SECTION)
          .section(TracingConfig.SECTION)
          .section(ClusterConfig.SECTION)
          .section(PluginsConfig.SECTION)
          .section(TokensConfig.SECTION)
          .section(SchedulerConfig.SECTION)
          .section(EngineConfig.SECTION);

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
        tenants,
        server,
        admin,
        log,
        tracing,
        cluster,
        otherPlugins,
        tokens,
        scheduler,
        engine);
  }
}
