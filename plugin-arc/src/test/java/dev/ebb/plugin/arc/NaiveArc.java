package dev.ebb.plugin.arc;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** ARC over array lists from LRU to MRU, figure 4 line by line, as far as the contract allows. */
final class NaiveArc implements BlockPolicy<NaiveArc.Item> {

  private final List<Item> residents = new ArrayList<>();
  private final List<Item> t1 = new ArrayList<>();
  private final List<Item> t2 = new ArrayList<>();
  private final List<Long> b1 = new ArrayList<>();
  private final List<Long> b2 = new ArrayList<>();
  private final int blocksEach;
  private double p;
  private boolean fromB2;
  private long c;
  private long ghostBound;

  NaiveArc(long capacityBlocks, int blocksEach) {
    this.blocksEach = blocksEach;
    c = capacityBlocks / blocksEach;
    ghostBound = capacityBlocks;
  }

  static final class Item {
    private final Entry entry;
    private boolean usedAgain;
    private boolean aside;

    private Item(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public void began(Request request) {
    fromB2 = false;
    for (int i = request.matched(); i < request.blocks(); i++) {
      if (b1.contains(request.fingerprint(i))) {
        p = Math.min((double) c, p + (b1.size() >= b2.size() ? 1 : (double) b2.size() / b1.size()));
        fromB2 = false;
      } else if (b2.contains(request.fingerprint(i))) {
        p = Math.max(0, p - (b2.size() >= b1.size() ? 1 : (double) b1.size() / b2.size()));
        fromB2 = true;
      }
    }
  }

  @Override
  public void ended(Request request) {
    fromB2 = false;
  }

  @Override
  public Item inserted(Entry entry) {
    Item item = new Item(entry);
    item.usedAgain =
        b1.remove(entry.fingerprint())
            || b2.remove(entry.fingerprint())
            || (entry.origin() == Origin.HANDED_OVER && entry.accesses() > 1);
    if (!item.usedAgain) {
      while (!b1.isEmpty() && held(false) + b1.size() >= c) {
        b1.removeFirst();
      }
      while (!b2.isEmpty() && residents.size() + b1.size() + b2.size() >= 2 * c) {
        b2.removeFirst();
      }
    }
    residents.add(item);
    list(item).add(item);
    return item;
  }

  @Override
  public void accessed(Item item) {
    list(item).remove(item);
    item.usedAgain = true;
    t2.add(item);
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    boolean replaceInT1 = held(false) > 0 && (held(false) > p || (fromB2 && held(false) == p));
    Item item = coldest(replaceInT1 ? t1 : t2);
    if (item == null) {
      item = coldest(replaceInT1 ? t2 : t1);
    }
    return item == null ? null : item.entry;
  }

  private static @Nullable Item coldest(List<Item> list) {
    while (!list.isEmpty() && list.getFirst().aside) {
      list.removeFirst();
    }
    return list.isEmpty() ? null : list.getFirst();
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    residents.remove(item);
    list(item).remove(item);
    if (cause.forCapacity()) {
      (item.usedAgain ? b2 : b1).add(item.entry.fingerprint());
      boundGhosts();
    }
  }

  // Matters only while more is resident than a capacity that became smaller.
  private void boundGhosts() {
    while (b1.size() > ghostBound) {
      b1.removeFirst();
    }
    while (b2.size() > 2 * ghostBound) {
      b2.removeFirst();
    }
  }

  @Override
  public void refused(Item item) {
    item.aside = true;
    list(item).remove(item);
  }

  @Override
  public void released(Item item) {
    item.aside = false;
    if (!list(item).contains(item)) {
      list(item).addFirst(item);
    }
  }

  @Override
  public long size() {
    return residents.size();
  }

  @Override
  public void resized(long capacityBlocks) {
    c = capacityBlocks / blocksEach;
    p = Math.min(p, (double) c);
    ghostBound = capacityBlocks;
    boundGhosts();
  }

  @Override
  public double score(Item item) {
    return item.usedAgain ? 2 : 1;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "p", p,
        "t1", (double) held(false),
        "t2", (double) held(true),
        "b1", (double) b1.size(),
        "b2", (double) b2.size());
  }

  private long held(boolean usedAgain) {
    return residents.stream().filter(item -> item.usedAgain == usedAgain).count();
  }

  private List<Item> list(Item item) {
    return item.usedAgain ? t2 : t1;
  }
}
