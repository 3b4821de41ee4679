package dev.ebb.spi.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Asks every candidate on every eviction: what an order by some attribute means, in O(n). */
public final class NaiveRankedPolicy implements BlockPolicy<NaiveRankedPolicy.Item> {

  private final Comparator<Entry> order;
  private final List<Item> items = new ArrayList<>();

  /** A policy whose victim is the least candidate of an order. */
  public NaiveRankedPolicy(Comparator<Entry> order) {
    this.order = order;
  }

  /** Requires of a policy for 60 blocks that it evicts those of a random trace in an order. */
  public static void assertEvictsBy(Comparator<Entry> order, BlockPolicy<?> tested, long seed) {
    Trace trace = Trace.random(new Random(seed), 2_000, 200);
    List<Integer> expected = new ArrayList<>();
    PrefixModel.hits(new NaiveRankedPolicy(order), trace, 60, expected::add);
    List<Integer> evicted = new ArrayList<>();
    PrefixModel.hits(tested, trace, 60, evicted::add);
    assertThat(evicted).as("seed %d", seed).isEqualTo(expected).isNotEmpty();
  }

  /** One entry. */
  public static final class Item {
    private final Entry entry;
    private boolean aside;

    private Item(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public Item inserted(Entry entry) {
    Item item = new Item(entry);
    items.add(item);
    return item;
  }

  @Override
  public void accessed(Item item) {}

  @Override
  public @Nullable Entry victim(Demand demand) {
    return items.stream()
        .filter(item -> !item.aside)
        .map(item -> item.entry)
        .min(order)
        .orElse(null);
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    items.remove(item);
  }

  @Override
  public void refused(Item item) {
    item.aside = true;
  }

  @Override
  public void released(Item item) {
    item.aside = false;
  }

  @Override
  public long size() {
    return items.size();
  }
}
