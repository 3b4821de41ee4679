package dev.ebb.host.pool;

/**
 * Blocks that an owner still has.
 *
 * @param owner the owner's name
 * @param blocks how many
 * @param firstBlock one of them, to look at
 */
public record Leak(String owner, int blocks, int firstBlock) {}
