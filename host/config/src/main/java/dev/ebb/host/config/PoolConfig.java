package dev.ebb.host.config;

/**
 * {@code ebb.pool}.
 *
 * @param device the memory of the pool
 * @param size its size on each device
 * @param defrag its background compaction
 */
public record PoolConfig(PoolDevice device, PoolSize size, DefragConfig defrag) {}
