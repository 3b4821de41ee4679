package dev.ebb.host.pool;

/**
 * Blocks that an owner still has.
 *
 * @param blocks how many
 * @param firstBlock one of them, for inspection
 */
public record Leak(String owner, int blocks, int firstBlock) {}
