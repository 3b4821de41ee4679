package dev.ebb.host.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The whole configuration.
 *
 * @param pool the memory of the KV blocks
 * @param eviction who leaves the cache
 * @param plugins where strategies come from
 * @param tokens who leaves a sequence
 * @param server the door for clients
 */
public record EbbConfig(
    PoolConfig pool,
    EvictionConfig eviction,
    PluginsConfig plugins,
    TokensConfig tokens,
    ServerConfig server) {

  /**
   * The same with another drop-in folder.
   *
   * @param folder where plugin JARs are looked for
   * @return a copy
   */
  public EbbConfig withPluginFolder(Path folder) {
    return new EbbConfig(pool, eviction, new PluginsConfig(folder, plugins.run()), tokens, server);
  }

  /**
   * The same with what the command line of a serving process says.
   *
   * @param poolSize how large the pool is to be
   * @param policy who leaves the cache; null for what is configured
   * @param bind the address to listen on; null for what is configured
   * @param port the port to listen on; null for what is configured
   * @return a copy
   */
  public EbbConfig forServing(
      PoolSize poolSize, @Nullable String policy, @Nullable String bind, @Nullable Integer port) {
    return new EbbConfig(
        new PoolConfig(pool.device(), poolSize, pool.defrag()),
        new EvictionConfig(
            policy == null ? eviction.policy() : new Choice(policy, "--eviction-policy"),
            eviction.policies(),
            eviction.predictors(),
            eviction.threshold(),
            eviction.target(),
            eviction.ttl()),
        plugins,
        tokens,
        new ServerConfig(
            bind == null ? server.bind() : bind,
            port == null ? server.port() : port,
            server.password(),
            server.maxValueBytes(),
            server.onFull(),
            server.threads()));
  }
}
