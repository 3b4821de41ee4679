package dev.ebb.plugin.classic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** W-TinyLFU over array lists, with exact counts in place of a sketch. */
final class NaiveTinyLfu extends NaivePolicy {

  private final List<Item> window = new ArrayList<>();
  private final List<Item> probation = new ArrayList<>();
  private final List<Item> shelter = new ArrayList<>();
  private final Map<Long, Integer> counts = new HashMap<>();
  private int counted;

  NaiveTinyLfu(long capacityBlocks, int blocksEach) {
    super(capacityBlocks, blocksEach);
  }

  @Override
  protected void admit(Item item) {
    count(item);
    move(item, item.usedBefore() ? probation : window);
  }

  @Override
  public void accessed(Item item) {
    count(item);
    boolean promoted = item.list == probation;
    move(item, promoted ? shelter : item.list);
    while (promoted
        && count(shelter) > main() * 8 / 10
        && coldest(shelter) instanceof Item demoted) {
      move(demoted, probation);
    }
  }

  private void count(Item item) {
    counts.merge(item.fingerprint(), 1, (a, b) -> Math.min(15, a + b));
    if (++counted >= 10 * capacity) {
      counts.replaceAll((key, value) -> value / 2);
      counted /= 2;
    }
  }

  private int main() {
    return capacity - Math.max(1, capacity / 100);
  }

  @Override
  protected @Nullable Item choose() {
    while (count(window) > capacity - main()
        && count(probation) + count(shelter) < main()
        && coldest(window) instanceof Item admitted) {
      move(admitted, probation);
    }
    Item candidate = coldest(window);
    Item resident = coldest(probation);
    if (resident == null) {
      resident = coldest(shelter);
    }
    if (candidate == null || (resident != null && score(candidate) > score(resident))) {
      return resident;
    }
    return candidate;
  }

  @Override
  public double score(Item item) {
    return counts.getOrDefault(item.fingerprint(), 0);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "window", (double) count(window),
        "probation", (double) count(probation),
        "protected", (double) count(shelter));
  }
}
