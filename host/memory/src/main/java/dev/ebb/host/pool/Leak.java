package dev.ebb.host.pool;

/**
 * Blocks that an owner still has.
 *
 * @param firstBlock one of them, for inspection
 */
public record Leak(String owner, int blocks, int firstBlock) {}
