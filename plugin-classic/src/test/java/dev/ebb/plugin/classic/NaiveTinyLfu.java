package dev.ebb.plugin.classic;

import dev.ebb.spi.Origin;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** W-TinyLFU over array lists. The sketch and the climber have tests of their own. */
final class NaiveTinyLfu extends NaivePolicy {

  private final List<Item> window = new ArrayList<>();
  private final List<Item> probation = new ArrayList<>();
  private final List<Item> shelter = new ArrayList<>();
  private final FrequencySketch sketch = new FrequencySketch();
  private final WindowClimber climber = new WindowClimber();
  private final RandomGenerator random;
  private int windowSize;
  private int shelterSize;
  private long change;
  private int fresh;
  private boolean isResized = true;
  private boolean counts;
  private @Nullable Item winner;

  NaiveTinyLfu(long capacityBlocks, int blocksEach, RandomGenerator random) {
    super(capacityBlocks, blocksEach);
    this.random = random;
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    isResized = true;
  }

  private void resize() {
    if (isResized) {
      isResized = false;
      windowSize = Math.max(1, (capacity + 99) / 100);
      shelterSize = (capacity - windowSize) * 8 / 10;
      climber.restart(capacity);
      change = 0;
    }
  }

  @Override
  public void began(Request request) {
    fresh = 0;
  }

  @Override
  protected void admit(Item item) {
    resize();
    counts |= residents.size() * 2 >= capacity;
    if (counts) {
      sketch.count(item.fingerprint(), capacity);
    }
    move(item, item.usedBefore() ? probation : window);
    if (counts && item.entry.origin() == Origin.NEW) {
      climber.miss();
    }
    fresh++;
    if (count(window) > windowSize + fresh && coldest(window) instanceof Item excess) {
      move(excess, probation);
    }
    adapt();
  }

  @Override
  public void accessed(Item item) {
    resize();
    counts |= residents.size() * 2 >= capacity;
    if (counts) {
      sketch.count(item.fingerprint(), capacity);
      climber.hit(item.list == window);
    }
    move(item, item.list == probation ? shelter : item.list);
    adapt();
  }

  private void adapt() {
    long next = counts ? climber.change(windowSize) : 0;
    change = next == 0 ? change : next;
    limitShelter();
    boolean grows = change > 0;
    long moves = grows ? Math.min(change, shelterSize) : Math.min(-change, windowSize - 1);
    if (grows) {
      shelterSize -= (int) moves;
      limitShelter();
      shelterSize += (int) moves;
    }
    long moved = 0;
    while (moved < moves && next(grows) instanceof Item item) {
      move(item, grows ? window : probation);
      moved++;
    }
    windowSize += (int) (grows ? moved : -moved);
    shelterSize -= (int) (grows ? moved : -moved);
    change = grows ? moves - moved : moved - moves;
  }

  private @Nullable Item next(boolean grows) {
    Item item = coldest(grows ? probation : window);
    return item == null && grows ? coldest(shelter) : item;
  }

  private void limitShelter() {
    while (count(shelter) > shelterSize && coldest(shelter) instanceof Item demoted) {
      move(demoted, probation);
    }
  }

  @Override
  protected @Nullable Item choose() {
    resize();
    Item candidate = winner;
    if (candidate == null
        || !residents.contains(candidate)
        || candidate.list != probation
        || candidate.aside) {
      while (count(window) > windowSize
          && count(probation) + count(shelter) < capacity - windowSize
          && coldest(window) instanceof Item admitted) {
        move(admitted, probation);
      }
      candidate = coldest(window);
    }
    Item resident = coldest(probation);
    if (candidate == null) {
      return resident == null ? coldest(shelter) : resident;
    }
    if (resident == null || resident == candidate || !wins(candidate, resident)) {
      return candidate;
    }
    if (candidate.list == window) {
      move(candidate, probation);
    }
    winner = candidate;
    return resident;
  }

  private boolean wins(Item candidate, Item resident) {
    return score(candidate) > score(resident)
        || (score(candidate) >= 6 && random.nextInt(128) == 0);
  }

  @Override
  protected void evicted(Item item) {
    winner = null;
  }

  @Override
  public double score(Item item) {
    return sketch.frequency(item.fingerprint());
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "window", (double) count(window),
        "probation", (double) count(probation),
        "protected", (double) count(shelter));
  }
}
