package dev.ebb.host.config;

import java.nio.file.Path;
import java.util.List;

/**
 * The whole configuration.
 *
 * @param pool the memory of the KV blocks
 * @param eviction who leaves the cache
 * @param evictionLog whether that is written down
 * @param shadow which policies run beside the active one
 * @param plugins where strategies come from
 * @param tokens who leaves a sequence
 * @param server the RESP server
 * @param admin the admin server
 * @param tenants who has a part of the pool for themselves
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

  /** Takes a copy of the list. */
  public EbbConfig {
    tenants = List.copyOf(tenants);
  }

  /**
   * The same with another drop-in folder.
   *
   * @param folder where plugin JARs are looked for
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
