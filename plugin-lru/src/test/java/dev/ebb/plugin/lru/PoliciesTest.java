package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.sim.Lockstep;
import dev.ebb.spi.sim.NaiveRankedPolicy;
import dev.ebb.spi.sim.SimContext;
import java.util.Comparator;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

  @ParameterizedTest
  @ValueSource(strings = {"lru", "fifo", "lfu", "lfu-da", "priority"})
  void agreesWithANaivePolicyInEveryStep(String name) {
    for (long seed = 1; seed <= 10; seed++) {
      long capacity = 8 + seed * 4;
      int blocksEach = 1 + (int) seed % 3;
      Lockstep.run(
          create(name, capacity), NaivePolicies.create(name, capacity), seed, capacity, blocksEach);
    }
  }

  @ParameterizedTest
  @CsvSource({"lru, 1", "lru, 2", "lru, 3", "fifo, 1", "fifo, 2", "lfu, 1", "lfu, 2", "lfu, 3"})
  void evictsTheLeastOfAllLeavesWhereOnlyLeavesMayLeave(String name, long seed) {
    Comparator<Entry> order =
        switch (name) {
          case "lru" -> Comparator.comparingLong(Entry::lastAccessTick);
          case "fifo" -> Comparator.comparingLong(Entry::createdTick);
          default ->
              Comparator.comparingInt(Entry::accesses).thenComparingLong(Entry::lastAccessTick);
        };
    NaiveRankedPolicy.assertEvictsBy(order, create(name, 60), seed);
  }

  private static BlockPolicy<?> create(String name, long capacity) {
    return switch (name) {
      case "lru" -> LruPolicies.LRU.create(new SimContext(capacity));
      case "fifo" -> LruPolicies.FIFO.create(new SimContext(capacity));
      case "lfu" -> LruPolicies.LFU.create(new SimContext(capacity));
      case "lfu-da" ->
          LruPolicies.LFU.create(new SimContext(capacity, Map.of("ageing", "dynamic")));
      default -> LruPolicies.PRIORITY.create(new SimContext(capacity, Map.of("floor", "0.2")));
    };
  }
}
