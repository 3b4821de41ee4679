package dev.ebb.plugin.classic;

import dev.ebb.spi.Request;
import dev.ebb.spi.sim.SimContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** LeCaR as its two algorithms are written down: a mistake raises the other expert's weight. */
final class NaiveLecar extends NaivePolicy {

  private final List<Item> lru = new ArrayList<>();
  private final Map<Long, Long> lruHistory = new LinkedHashMap<>();
  private final Map<Long, Long> lfuHistory = new LinkedHashMap<>();
  private final RandomGenerator random;
  private double lruWeight = 0.5;
  private double lfuWeight = 0.5;
  private long now;
  private @Nullable Item chosen;
  private @Nullable Map<Long, Long> history;

  NaiveLecar(long capacityBlocks, int blocksEach) {
    super(capacityBlocks, blocksEach);
    random = new SimContext(capacityBlocks).random();
  }

  @Override
  public void began(Request request) {
    for (int i = request.matched(); i < request.blocks(); i++) {
      Long time = lruHistory.remove(request.fingerprint(i));
      if (time != null) {
        lfuWeight *= raise(now - time);
      } else {
        time = lfuHistory.remove(request.fingerprint(i));
        lruWeight *= time == null ? 1 : raise(now - time);
      }
      lruWeight = Math.min(0.99, Math.max(0.01, lruWeight / (lruWeight + lfuWeight)));
      lfuWeight = 1 - lruWeight;
    }
  }

  private double raise(long time) {
    double discountRate = Math.pow(0.005, 1.0 / capacity);
    return Math.exp(0.45 * Math.pow(discountRate, time));
  }

  @Override
  protected void admit(Item item) {
    item.uses = item.entry.accesses() - 1;
    accessed(item);
  }

  @Override
  public void accessed(Item item) {
    item.uses++;
    item.lastUse = ++now;
    move(item, lru);
  }

  @Override
  protected @Nullable Item choose() {
    Item oldest = coldest(lru);
    Item rarest =
        candidates()
            .min(Comparator.comparing((Item item) -> item.uses).thenComparing(item -> item.lastUse))
            .orElse(null);
    chosen = oldest;
    history = null;
    if (oldest != rarest) {
      boolean first = random.nextDouble() < lruWeight;
      chosen = first ? oldest : rarest;
      history = first ? lruHistory : lfuHistory;
    }
    return chosen;
  }

  @Override
  protected void evicted(Item item) {
    if (item == chosen && history != null) {
      history.remove(item.fingerprint());
      history.put(item.fingerprint(), now);
    }
  }

  @Override
  public void ended(Request request) {
    for (Map<Long, Long> each : List.of(lruHistory, lfuHistory)) {
      while (each.size() > capacity / 2) {
        each.remove(each.keySet().iterator().next());
      }
    }
  }

  @Override
  public double score(Item item) {
    return item.uses;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "lru-history", (double) lruHistory.size(), "lfu-history", (double) lfuHistory.size());
  }
}
