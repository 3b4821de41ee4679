package dev.ebb.host.config;

import java.nio.file.Path;
import java.util.List;

/**
 * The whole configuration.
 *
 * @param pool the memory of the KV blocks
 * @param eviction the eviction of entries from the cache
 * @param evictionLog the log of evictions
 * @param shadow the policies that run beside the active one
 * @param plugins the source of strategies
 * @param tokens the pruning of sequences
 * @param server the server for clients
 * @param admin the server for operators
 * @param tenants the tenants with a part of the pool of their own
 */
public record EbbConfig(
    PoolConfig pool,
    EvictionConfig eviction,
    EvictionLogConfig evictionLog,
    ShadowConfig shadow,
    PluginsConfig plugins,
    TokensConfig tokens,
    ServerConfig server,
    AdminConfig admin,
    List<TenantQuota> tenants) {

  static EbbConfig read(ConfigReader reader) {
    return new EbbConfig(
        PoolConfig.read(reader),
        EvictionConfig.read(reader),
        EvictionLogConfig.read(reader),
        ShadowConfig.read(reader),
        PluginsConfig.read(reader),
        TokensConfig.read(reader),
        ServerConfig.read(reader),
        AdminConfig.read(reader),
        TenantQuota.read(reader));
  }

  public EbbConfig {
    tenants = List.copyOf(tenants);
  }

  /**
   * Returns the same with another drop-in folder.
   *
   * @param folder the folder of plugin JARs
   * @return a copy
   */
  public EbbConfig withPluginFolder(Path folder) {
    return new EbbConfig(
        pool,
        eviction,
        evictionLog,
        shadow,
        plugins.withFolder(folder),
        tokens,
        server,
        admin,
        tenants);
  }
}
