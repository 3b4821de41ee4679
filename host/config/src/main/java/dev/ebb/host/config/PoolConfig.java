package dev.ebb.host.config;

/**
 * {@code ebb.pool}.
 *
 * @param device where the pool is to be
 * @param size how large it is to be on each device
 * @param defrag when and how it is compacted
 */
public record PoolConfig(PoolDevice device, PoolSize size, DefragConfig defrag) {}
