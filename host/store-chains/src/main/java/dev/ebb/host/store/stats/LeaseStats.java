package dev.ebb.host.store.stats;

/**
 * The leases that lookups were given.
 *
 * @param heldBytes the pool memory of their values
 * @param read leases that ended because the value was read
 * @param refused lookups that were given no lease, because the leases had their whole share
 */
public record LeaseStats(
    long held, long heldBytes, long read, long removed, long expired, long refused) {

  public LeaseStats plus(LeaseStats other) {
    return new LeaseStats(
        held + other.held,
        heldBytes + other.heldBytes,
        read + other.read,
        removed + other.removed,
        expired + other.expired,
        refused + other.refused);
  }
}
