package dev.ebb.router.choice;

/**
 * The options of the choice.
 *
 * @param sharedCost the cost of a token that an engine reads from a server that all engines share,
 *     in computed tokens; 1 if there is no such server
 * @param requestTokens the cost of a request that an engine already has, in computed tokens
 * @param maxBlocks the most blocks that the router remembers for each engine
 */
public record RouterOptions(
    RoutingPolicy policy, double sharedCost, double requestTokens, int maxBlocks) {

  /** The options of a router without a shared server. */
  public static final RouterOptions DEFAULTS =
      new RouterOptions(RoutingPolicy.PREFIX, 1, 64, 1 << 18);

  /** Returns the same with another policy. */
  public RouterOptions with(RoutingPolicy other) {
    return new RouterOptions(other, sharedCost, requestTokens, maxBlocks);
  }
}
