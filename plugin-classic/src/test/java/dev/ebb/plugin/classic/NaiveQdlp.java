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

  private int mainSize() {
    return capacity - capacity / 10;
  }

  @Override
  protected void admit(Item item) {
    boolean returned = ghosts.remove(item.fingerprint()) || item.usedBefore();
    if (returned && count(main) >= mainSize()) {
      evictMain();
    }
    move(item, returned ? main : probation);
  }

  @Override
  public void accessed(Item item) {
    item.uses = Math.min(3, item.uses + 1);
  }

  @Override
  protected @Nullable Item choose() {
    while (count(main) < mainSize() && coldest(probation) instanceof Item used && used.uses > 0) {
      used.uses = 0;
      move(used, main);
    }
    Item oldest = coldest(probation);
    if (oldest != null && oldest.uses == 0 && count(main) <= mainSize()) {
      return oldest;
    }
    Item item = evictMain();
    return item == null ? oldest : item;
  }

  private @Nullable Item evictMain() {
    while (coldest(main) instanceof Item item && item.uses > 0) {
      item.uses--;
      move(item, main);
    }
    return coldest(main);
  }

  @Override
  protected void evicted(Item item) {
    if (item.list == probation) {
      ghosts.add(item.fingerprint());
      bound(ghosts, 0.9);
    } else if (count(main) <= mainSize()
        && coldest(probation) instanceof Item used
        && used.uses > 0) {
      used.uses = 0;
      move(used, main);
    }
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    bound(ghosts, 0.9);
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
