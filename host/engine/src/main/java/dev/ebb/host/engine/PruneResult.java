package dev.ebb.host.engine;

/**
 * What was dropped of a sequence.
 *
 * @param droppedTokens tokens that the longest lane has less than before
 * @param length rows of the longest lane afterwards
 * @param freedBlocks blocks that are free now, less those that shared blocks were copied to
 * @param freedBytes their bytes
 * @param movedRows rows of K, and as many of V, that were moved, over all lanes
 */
public record PruneResult(
    int droppedTokens, int length, int freedBlocks, long freedBytes, long movedRows) {}
