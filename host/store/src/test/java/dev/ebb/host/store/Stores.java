package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

/** What holds of every store. */
final class Stores {

  private static final Set<EntryState> OVER =
      Set.of(EntryState.EVICTED, EntryState.EXPIRED, EntryState.REMOVED);

  private Stores() {}

  /** Nothing is there, nothing is charged, all memory is free. */
  static void assertEmpty(ObjectStore store) {
    StoreStats stats = store.stats();
    assertThat(stats.keys()).isZero();
    assertThat(stats.expiring()).isZero();
    assertThat(stats.usedBytes()).isZero();
    assertThat(stats.pinnedBytes()).isZero();
    assertThat(stats.reading()).isZero();
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
  }
}
