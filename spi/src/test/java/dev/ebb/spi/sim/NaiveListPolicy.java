package dev.ebb.spi.sim;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Array lists of entries from cold to hot; every answer is found by walking over them. */
public abstract class NaiveListPolicy implements BlockPolicy<NaiveListPolicy.Item> {

  protected final List<Item> residents = new ArrayList<>();

  /** One entry. Each policy uses the fields that it needs. */
  public static final class Item {
    public final Entry entry;
    public List<Item> list = new ArrayList<>();
    public boolean aside;
    public int uses;
    public long lastUse;

    private Item(Entry entry) {
      this.entry = entry;
    }

    public long fingerprint() {
      return entry.fingerprint();
    }

    public boolean usedBefore() {
      return entry.origin() == Origin.HANDED_OVER && entry.accesses() > 1;
    }
  }

  /** Receives a new entry. The default is a use of it. */
  protected void admit(Item item) {
    accessed(item);
  }

  protected abstract @Nullable Item choose();

  protected void evicted(Item item) {}

  @Override
  public Item inserted(Entry entry) {
    Item item = new Item(entry);
    residents.add(item);
    admit(item);
    return item;
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Item item = choose();
    return item == null ? null : item.entry;
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    if (cause.forCapacity()) {
      evicted(item);
    }
    residents.remove(item);
    item.list.remove(item);
  }

  @Override
  public void refused(Item item) {
    item.aside = true;
    item.list.remove(item);
  }

  @Override
  public void released(Item item) {
    item.aside = false;
    if (!item.list.contains(item)) {
      item.list.addFirst(item);
    }
  }

  @Override
  public long size() {
    return residents.size();
  }

  /** Moves an item from its list to the hot end of another. */
  protected static void move(Item item, List<Item> to) {
    item.list.remove(item);
    item.list = to;
    to.add(item);
  }

  /** The coldest that may be offered; those set aside that a use has moved there are dropped. */
  protected static @Nullable Item coldest(List<Item> list) {
    while (!list.isEmpty() && list.getFirst().aside) {
      list.removeFirst();
    }
    return list.isEmpty() ? null : list.getFirst();
  }

  /** The coldest that may be offered of each list. */
  protected static Stream<Item> coldest(Collection<List<Item>> lists) {
    return lists.stream().map(NaiveListPolicy::coldest).flatMap(Stream::ofNullable);
  }

  /** Those that may be offered. */
  protected final Stream<Item> candidates() {
    return residents.stream().filter(item -> !item.aside);
  }

  /** The one with the lowest score, among equals the one used longest ago. */
  protected final @Nullable Item lowest(Stream<Item> items) {
    return items
        .min(
            Comparator.comparingDouble(this::score)
                .thenComparingLong(item -> item.entry.lastAccessTick()))
        .orElse(null);
  }

  /** How many residents belong to a list, set aside ones included. */
  protected final long count(List<Item> list) {
    return residents.stream().filter(item -> item.list == list).count();
  }
}
