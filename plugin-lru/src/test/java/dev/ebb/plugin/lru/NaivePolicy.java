package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One list from cold to hot, searched from the cold end for the first item of the class that should
 * give; what is set aside is dropped where it is found.
 */
abstract class NaivePolicy implements BlockPolicy<NaivePolicy.Item> {

  final List<Item> all = new ArrayList<>();
  final List<Item> order = new ArrayList<>();

  static final class Item {
    final Entry entry;
    boolean aside;
    long key;
    long uses;

    private Item(Entry entry) {
      this.entry = entry;
    }
  }

  /** Changes an item's key because of a use, the first included. */
  void used(Item item) {}

  /** Whether a use moves an item to the hot end. */
  boolean reorders() {
    return true;
  }

  /** Changes the policy's state because an item was evicted. */
  void evicted(Item item) {}

  /** The key from which to evict, of those that are in the order. */
  abstract long keyToEvict();

  @Override
  public Item inserted(Entry entry) {
    Item item = new Item(entry);
    item.uses = entry.accesses();
    used(item);
    all.add(item);
    order.add(item);
    return item;
  }

  @Override
  public void accessed(Item item) {
    item.uses++;
    used(item);
    if (reorders()) {
      order.remove(item);
      order.add(item);
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    while (!order.isEmpty()) {
      long key = keyToEvict();
      Item first = order.stream().filter(item -> item.key == key).findFirst().orElse(null);
      if (first != null && !first.aside) {
        return first.entry;
      }
      order.remove(first);
    }
    return null;
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    all.remove(item);
    order.remove(item);
    if (cause.forCapacity()) {
      evicted(item);
    }
  }

  @Override
  public void refused(Item item) {
    item.aside = true;
    order.remove(item);
  }

  @Override
  public void released(Item item) {
    item.aside = false;
    if (!order.contains(item)) {
      order.addFirst(item);
    }
  }

  @Override
  public long size() {
    return all.size();
  }
}
