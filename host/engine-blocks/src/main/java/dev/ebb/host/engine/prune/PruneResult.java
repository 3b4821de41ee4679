package dev.ebb.host.engine.prune;

/**
 * The result of dropping tokens of a sequence.
 *
 * @param droppedTokens by how many tokens the longest lane is shorter
 * @param length rows of the longest lane afterwards
 * @param freedBlocks blocks that are free now, less those that shared blocks were copied to
 * @param movedRows rows of K, and as many of V, that were moved, over all lanes
 */
public record PruneResult(
    int droppedTokens, int length, int freedBlocks, long freedBytes, long movedRows) {}
