package dev.ebb.plugin.classic;

import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** 2Q over array lists, as the paper's "reclaim for page slot X" is written down. */
final class NaiveTwoQueue extends NaivePolicy {

  private final List<Item> a1in = new ArrayList<>();
  private final List<Item> am = new ArrayList<>();
  private final List<Long> a1out = new ArrayList<>();

  NaiveTwoQueue(long capacityBlocks, int blocksEach) {
    super(capacityBlocks, blocksEach);
  }

  @Override
  protected void admit(Item item) {
    boolean returned = a1out.remove(item.fingerprint());
    move(item, returned || item.usedBefore() ? am : a1in);
  }

  @Override
  public void accessed(Item item) {
    if (item.list == am) {
      move(item, am);
    }
  }

  @Override
  protected @Nullable Item choose() {
    List<Item> first = count(a1in) > capacity / 4 ? a1in : am;
    Item item = coldest(first);
    return item != null ? item : coldest(first == am ? a1in : am);
  }

  @Override
  protected void evicted(Item item) {
    if (item.list == a1in) {
      a1out.add(item.fingerprint());
      bound(a1out, 0.5);
    }
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    bound(a1out, 0.5);
  }

  @Override
  public void ended(Request request) {
    while (a1out.size() > capacity / 2) {
      a1out.removeFirst();
    }
  }

  @Override
  public double score(Item item) {
    return item.list == am ? 2 : 1;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "a1in", (double) count(a1in),
        "am", (double) count(am),
        "a1out", (double) a1out.size());
  }
}
