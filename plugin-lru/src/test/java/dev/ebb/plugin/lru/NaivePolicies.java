package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;

/** What each policy of this plugin means, as slowly and plainly as possible. */
final class NaivePolicies {

  private NaivePolicies() {}

  static BlockPolicy<?> create(String name, long capacity) {
    return switch (name) {
      case "lru" -> new Lru();
      case "fifo" -> new Fifo();
      case "lfu" -> new Lfu(false);
      case "lfu-da" -> new Lfu(true);
      case "priority" -> new Priority(capacity);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static class Lru extends NaivePolicy {
    @Override
    long keyToEvict() {
      return 0;
    }

    @Override
    public double score(Item item) {
      return item.entry.lastAccessTick();
    }
  }

  private static final class Fifo extends Lru {
    @Override
    boolean reorders() {
      return false;
    }

    @Override
    public double score(Item item) {
      return item.entry.createdTick();
    }
  }

  private static final class Lfu extends NaivePolicy {
    private final boolean ageing;
    private long age;

    private Lfu(boolean ageing) {
      this.ageing = ageing;
    }

    @Override
    void used(Item item) {
      item.key = item.uses + age;
    }

    @Override
    void evicted(Item item) {
      age = ageing ? Math.max(age, item.key) : 0;
    }

    @Override
    long keyToEvict() {
      return order.stream().mapToLong(item -> item.key).min().orElseThrow();
    }

    @Override
    public double score(Item item) {
      return item.key;
    }
  }

  private static final class Priority extends NaivePolicy {
    private double floor;

    private Priority(long capacity) {
      floor = 0.2 * capacity;
    }

    @Override
    public void resized(long capacity) {
      floor = 0.2 * capacity;
    }

    @Override
    void used(Item item) {
      item.key = item.entry.priority();
    }

    private long blocks(long key) {
      return all.stream()
          .filter(item -> item.key == key)
          .mapToLong(item -> item.entry.blocks())
          .sum();
    }

    @Override
    long keyToEvict() {
      long fallback = Long.MAX_VALUE;
      for (long key = 0; key < 3; key++) {
        long looked = key;
        Item coldest = null;
        while (coldest == null && order.stream().anyMatch(item -> item.key == looked)) {
          coldest = order.stream().filter(item -> item.key == looked).findFirst().orElseThrow();
          if (coldest.aside) {
            order.remove(coldest);
            coldest = null;
          }
        }
        if (coldest != null && blocks(key) > floor) {
          return key;
        }
        fallback = coldest == null ? fallback : Math.min(fallback, key);
      }
      return fallback;
    }

    @Override
    public double score(Item item) {
      return item.key;
    }
  }
}
