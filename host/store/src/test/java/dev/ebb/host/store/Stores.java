package dev.ebb.host.store;

import static dev.ebb.host.store.chain.Links.firstChild;
import static dev.ebb.host.store.chain.Links.isGrouped;
import static dev.ebb.host.store.chain.Links.isOutsideOfGroup;
import static dev.ebb.host.store.chain.Links.isReachable;
import static dev.ebb.host.store.chain.Links.nextSibling;
import static dev.ebb.host.store.chain.Links.parent;
import static dev.ebb.host.store.chain.Links.predecessor;
import static dev.ebb.host.store.chain.Links.previousSibling;
import static dev.ebb.host.store.chain.Links.unpublishedUnits;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.store.chain.Links;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What holds of every store. */
final class Stores {

  private static final Set<EntryState> OVER =
      Set.of(EntryState.EVICTED, EntryState.EXPIRED, EntryState.REMOVED);

  private Stores() {}

  /** Returns options for a shared part and one of the tenant "acme", of so many bytes each. */
  static StoreOptions twoParts(long bytes) {
    return twoParts("acme", bytes, Duration.ofHours(1), 7);
  }

  /** Returns options for a shared part and one of a tenant, of so many bytes each. */
  static StoreOptions twoParts(String tenant, long bytes, Duration idle, long seed) {
    return new StoreOptions(
        List.of(
            new PartitionSpec(PartitionSpec.DEFAULT, null, bytes),
            new PartitionSpec(tenant, tenant, bytes)),
        idle,
        0.25,
        seed);
  }

  /** Returns the same for "ann"; for seeds above 3, policies run on threads of their own. */
  static StoreOptions inlineOrThreaded(long bytes, int seed) {
    StoreOptions options = twoParts("ann", bytes, Duration.ofMinutes(1), seed);
    return seed > 3
        ? options.threaded(new EvictionLimits(0.95, 0.91, Duration.ofSeconds(5)), 64)
        : options;
  }

  /** Removes everything, of which nothing is left then, and closes the store. */
  static void close(ObjectStore store) {
    assertSound(store);
    store.clear();
    assertSound(store);
    assertEmpty(store);
    store.close();
  }

  /** Nothing is there, nothing is charged, all memory is free. */
  static void assertEmpty(ObjectStore store) {
    StoreStats stats = store.stats();
    assertThat(stats.keys()).isZero();
    assertThat(stats.expiring()).isZero();
    assertThat(stats.usedBytes()).isZero();
    assertThat(stats.pinnedBytes()).isZero();
    assertThat(stats.reading()).isZero();
    assertThat(stats.leases().heldBytes()).isZero();
    stats
        .states()
        .forEach(
            (state, count) -> assertThat(OVER.contains(state) ? 0 : count).as("" + state).isZero());
    for (StorePartition partition : store.parts()) {
      assertThat((long) partition.memory.freeBlocks() * ObjectMemory.BLOCK_UNITS)
          .isEqualTo(partition.memory.units());
    }
    store.tenants().forEach(tenant -> assertThat(tenant.usedBytes()).isZero());
    store.models().forEach(model -> assertThat(model.entries()).isZero());
  }

  /** No part holds more than it may, and the states of entries add up. */
  static void assertSound(ObjectStore store) {
    for (PartitionStats part : store.partitions()) {
      StoreStats numbers = part.numbers();
      assertThat(numbers.usedBytes()).isBetween(0L, numbers.capacityBytes());
      numbers.states().forEach((state, count) -> assertThat(count).as("" + state).isNotNegative());
    }
    store.parts().forEach(part -> part.place.locked(() -> assertChainsSound(part)));
  }

  /** Chains agree with what can be computed from the links of each value. */
  private static void assertChainsSound(StorePartition part) {
    Set<StoredValue> all = new LinkedHashSet<>();
    part.values.each(0, part.values.slots(), all::add);
    Set<StoredValue> held = new HashSet<>();
    long keys = 0;
    int linked = 0;
    int unreachable = 0;
    for (StoredValue value : all) {
      Set<StoredValue> before = new LinkedHashSet<>();
      StoredValue front = value;
      for (StoredValue next = parent(front); next != null; next = parent(next)) {
        check(before.add(front), "cycle", front);
        front = next;
      }
      if (isHeld(value)) {
        held.add(front);
        held.addAll(before);
      }
      unreachable += predecessor(front) == Links.NONE ? 0 : 1;
      check(isReachable(value) == (predecessor(front) == Links.NONE), "reachable", value);
      assertLinksSound(value, all);
      linked += parent(value) == null ? 0 : 1;
      if (predecessor(value) != Links.NONE) {
        check(parent(value) == null, "parent, because its predecessor is missing,", value);
        check(part.values.at(predecessor(value)) == null, "predecessor", value);
      }
    }
    for (StoredValue value : all) {
      long units = value.units();
      keys += (value.isWithdrawn() ? 0 : 1) + (value.attachment() == null ? 0 : 1);
      for (StoredValue shard : value.shards()) {
        check(shard.owner() == value, "owner", shard);
        check(shard.entry() == null, "entry", shard);
        check(shard.key.low() == value.key.low(), "key beside that of its owner", shard);
        units += shard.units();
        keys += 1 + (shard.attachment() == null ? 0 : 1);
      }
      check(value.weight() == units, "weight", value);
    }
    assertThat((long) part.values.keys()).isEqualTo(keys);
    assertThat(unpublishedUnits(part.chains))
        .isEqualTo(
            all.stream()
                .filter(value -> !value.isPublished())
                .mapToLong(StoredValue::weight)
                .sum());
    ChainStats stats = part.chains.stats();
    assertThat(stats.linked()).isEqualTo(linked);
    assertThat(stats.unreachable()).isEqualTo(unreachable);
    assertThat(part.cache.residentEntries()).isEqualTo(all.size());
    assertThat(part.cache.residentBlocks() - part.cache.evictableBlocks())
        .isEqualTo(held.stream().mapToLong(StoredValue::weight).sum());
    for (StoredValue value : all) {
      check(
          requireNonNull(value.entry()).evictable()
              == (firstChild(value) == null && !held.contains(value)),
          "evictable",
          value);
    }
  }

  /** The query releases the lock, and the policy may evict ahead of demand meanwhile. */
  static void assertPolicySize(StorePartition part) {
    long evictions;
    long size;
    do {
      evictions = part.cache.evictions();
      size = part.cache.policySize();
    } while (part.cache.evictions() != evictions);
    assertThat(size).isEqualTo(part.cache.residentEntries());
  }

  private static boolean isHeld(StoredValue value) {
    return value.shard(each -> each.readers() > 0) != null
        || !value.isPublished()
        || Links.isHeld(value)
        || value.list() != null
        || !value.pins().isEmpty();
  }

  private static void assertLinksSound(StoredValue value, Set<StoredValue> all) {
    CacheEntry entry = requireNonNull(value.entry());
    StoredValue parent = parent(value);
    if (parent == null) {
      check(entry.depth() == 0, "depth", value);
      check(!isGrouped(value), "group", value);
    } else {
      check(all.contains(parent), "parent", value);
      int above = requireNonNull(parent.entry()).depth();
      if (!isGrouped(value)) {
        check(entry.depth() == above + 1, "depth", value);
      } else {
        check(entry.depth() > above, "depth", value);
        check(!isOutsideOfGroup(value), "group", value);
      }
    }
    StoredValue previous = null;
    for (StoredValue child = firstChild(value); child != null; child = nextSibling(child)) {
      check(parent(child) == value, "parent", child);
      check(previousSibling(child) == previous, "previous sibling", child);
      previous = child;
    }
    check(entry.published() == value.isPublished(), "published", value);
  }

  /** For what is compared for every value after every command, where AssertJ takes too long. */
  private static void check(boolean sound, String what, StoredValue value) {
    if (!sound) {
      throw new AssertionError("wrong: %s of %s".formatted(what, value.key));
    }
  }
}
