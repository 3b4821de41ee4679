package dev.ebb.host.store.stats;

/**
 * What is known about chains.
 *
 * @param hits chunks that were found with all before them, in memory or elsewhere
 * @param hitsElsewhere hits that memory could not serve: the chunk, or one before it, was on the
 *     disk or on another node
 * @param linked values whose predecessor is resident
 * @param unreachable values whose predecessor, or one before it, is missing
 * @param unknown chunks of whose chain nothing is known, estimated from a sample
 * @param known keys about whose predecessor something is known
 * @param withdrawn assumed predecessors that were replaced
 */
public record ChainStats(
    long requests,
    long lookups,
    long hits,
    long hitsElsewhere,
    long linked,
    long unreachable,
    long unknown,
    long known,
    long withdrawn) {

  public static final ChainStats NONE = new ChainStats(0, 0, 0, 0, 0, 0, 0, 0, 0);

  public ChainStats plus(ChainStats other) {
    return new ChainStats(
        requests + other.requests,
        lookups + other.lookups,
        hits + other.hits,
        hitsElsewhere + other.hitsElsewhere,
        linked + other.linked,
        unreachable + other.unreachable,
        unknown + other.unknown,
        known + other.known,
        withdrawn + other.withdrawn);
  }
}
