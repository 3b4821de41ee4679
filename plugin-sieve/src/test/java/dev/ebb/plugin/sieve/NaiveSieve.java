package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SIEVE over an array from tail to head, with the hand as an index that wraps around. */
final class NaiveSieve implements BlockPolicy<NaiveSieve.Item> {

  private final List<Item> queue = new ArrayList<>();
  private int hand;
  private long size;

  static final class Item {
    private final Entry entry;
    private boolean visited;

    private Item(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public Item inserted(Entry entry) {
    Item item = new Item(entry);
    item.visited = entry.origin() == Origin.HANDED_OVER && entry.accesses() > 1;
    // Past the head means "from the tail", also if something is added at the head meanwhile.
    hand = hand == queue.size() ? 0 : hand;
    queue.add(item);
    size++;
    return item;
  }

  @Override
  public void accessed(Item item) {
    item.visited = true;
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    if (queue.isEmpty()) {
      return null;
    }
    hand = hand % queue.size();
    while (queue.get(hand).visited) {
      queue.get(hand).visited = false;
      hand = (hand + 1) % queue.size();
    }
    return queue.get(hand).entry;
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    take(item);
    size--;
  }

  @Override
  public void refused(Item item) {
    take(item);
  }

  @Override
  public void released(Item item) {
    hand = hand == queue.size() ? 0 : hand;
    queue.add(hand, item);
  }

  private void take(Item item) {
    int index = queue.indexOf(item);
    if (index >= 0) {
      queue.remove(index);
      hand = index < hand ? hand - 1 : hand;
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public double score(Item item) {
    return item.visited ? 1 : 0;
  }
}
