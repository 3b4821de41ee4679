package dev.ebb.host.cluster.infinispan;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.infinispan.AdvancedCache;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.distribution.ch.ConsistentHash;
import org.infinispan.remoting.transport.Address;
import org.infinispan.topology.CacheTopology;
import org.jspecify.annotations.Nullable;

/** The owners of the directory's segments, to know when all of a segment's owners were lost. */
final class OwnershipWatch {

  /** How many nodes have an entry. */
  static final int OWNERS = 2;

  private final AdvancedCache<?, ?> directory;
  private final Set<UUID> left = new HashSet<>();
  private Set<UUID> before = Set.of();
  private @Nullable ConsistentHash stable;

  OwnershipWatch(AdvancedCache<?, ?> directory) {
    this.directory = directory;
  }

  /** What happened to the entries of the directory. */
  enum Entries {
    /** They are where they were, or on their way. */
    UNCHANGED,
    /** They have moved. Changes of that time may be missing at some of their owners. */
    MOVED,
    /** Entries may be lost. */
    LOST
  }

  /**
   * Compares the owners with those of the last call.
   *
   * @param merged whether partitions found each other since this last returned {@code LOST}
   * @return a change once, as soon as all segments have their owners again
   */
  Entries compare(Set<UUID> members, boolean merged) {
    before.stream().filter(member -> !members.contains(member)).forEach(left::add);
    before = members;
    if (!replicated(members)) {
      return Entries.UNCHANGED;
    }
    ConsistentHash last = stable;
    boolean lost = merged || (last != null && anySegmentOf(last, left));
    left.clear();
    ConsistentHash now = topology().getReadConsistentHash();
    stable = now;
    if (lost) {
      return Entries.LOST;
    }
    return last == null || last.equals(now) ? Entries.UNCHANGED : Entries.MOVED;
  }

  /** Returns whether all segments have their owners, among the given nodes. */
  boolean replicated(Set<UUID> members) {
    LocalizedCacheTopology topology = topology();
    ConsistentHash hash = topology.getReadConsistentHash();
    if (topology.getPhase() != CacheTopology.Phase.NO_REBALANCE
        || topology.getPendingCH() != null
        || !uuids(hash.getMembers()).equals(members)) {
      return false;
    }
    int owners = Math.min(OWNERS, members.size());
    for (int segment = 0; segment < hash.getNumSegments(); segment++) {
      if (hash.locateOwnersForSegment(segment).size() < owners) {
        return false;
      }
    }
    return true;
  }

  private static boolean anySegmentOf(ConsistentHash hash, Set<UUID> nodes) {
    for (int segment = 0; segment < hash.getNumSegments(); segment++) {
      if (nodes.containsAll(uuids(hash.locateOwnersForSegment(segment)))) {
        return true;
      }
    }
    return false;
  }

  private LocalizedCacheTopology topology() {
    return directory.getDistributionManager().getCacheTopology();
  }

  private static Set<UUID> uuids(List<Address> addresses) {
    return addresses.stream().map(Address::getNodeUUID).collect(Collectors.toSet());
  }
}
