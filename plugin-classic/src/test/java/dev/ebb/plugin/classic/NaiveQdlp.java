package dev.ebb.plugin.classic;

import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** QD-LP-FIFO over array lists from tail to head. */
final class NaiveQdlp extends NaivePolicy {

  private final List<Item> probation = new ArrayList<>();
  private final List<Item> main = new ArrayList<>();
  private final List<Long> ghosts = new ArrayList<>();

  NaiveQdlp(long capacityBlocks, int blocksEach) {
    super(capacityBlocks, blocksEach);
  }

  @Override
  protected void admit(Item item) {
    boolean returned = ghosts.remove(item.fingerprint());
    move(item, returned || item.usedBefore() ? main : probation);
  }

  @Override
  public void accessed(Item item) {
    item.uses = Math.min(3, item.uses + 1);
  }

  @Override
  protected @Nullable Item choose() {
    while (count(main) <= capacity - capacity / 10) {
      Item oldest = coldest(probation);
      if (oldest == null || oldest.uses == 0) {
        return oldest == null ? evictMain() : oldest;
      }
      oldest.uses = 0;
      move(oldest, main);
    }
    Item item = evictMain();
    return item == null ? coldest(probation) : item;
  }

  private @Nullable Item evictMain() {
    while (!main.isEmpty() && main.getFirst().uses > 0) {
      Item item = main.removeFirst();
      item.uses--;
      main.add(item);
    }
    return main.isEmpty() ? null : main.getFirst();
  }

  @Override
  protected void evicted(Item item) {
    if (item.list == probation) {
      ghosts.add(item.fingerprint());
    }
  }

  @Override
  public void ended(Request request) {
    while (ghosts.size() > (int) (0.9 * capacity)) {
      ghosts.removeFirst();
    }
  }

  @Override
  public double score(Item item) {
    return item.uses;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "probation", (double) count(probation),
        "main", (double) count(main),
        "ghosts", (double) ghosts.size());
  }
}
