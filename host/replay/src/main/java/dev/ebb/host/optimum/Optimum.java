package dev.ebb.host.optimum;

/**
 * The result of an optimum on a trace at one capacity.
 *
 * @param capacityBlocks blocks the cache could hold
 * @param hitBlocks how many of them were hits
 * @param hitTokens how many of them were in blocks that were hits
 */
public record Optimum(
    long capacityBlocks, long references, long hitBlocks, long requestTokens, long hitTokens) {

  /**
   * Returns the share of the block references that were hits: 0 to 1, or NaN if there are no
   * references.
   */
  public double hitRatio() {
    return (double) hitBlocks / references;
  }

  /**
   * Returns the share of the prompts' tokens that were hits: 0 to 1, or NaN if there are no tokens.
   */
  public double tokenHitRatio() {
    return (double) hitTokens / requestTokens;
  }
}
