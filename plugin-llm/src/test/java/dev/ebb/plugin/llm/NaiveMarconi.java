package dev.ebb.plugin.llm;

import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Marconi's score for depths below 8, which are classes of their own. */
final class NaiveMarconi extends NaiveListPolicy {

  private final Map<Integer, List<Item>> byDepth = new TreeMap<>();
  private final double alpha;
  private long now;

  NaiveMarconi(double alpha) {
    this.alpha = alpha;
  }

  @Override
  public void accessed(Item item) {
    item.lastUse = item.entry.lastAccessNanos();
    now = Math.max(now, item.lastUse);
    move(item, byDepth.computeIfAbsent(item.entry.depth(), depth -> new ArrayList<>()));
  }

  @Override
  protected @Nullable Item choose() {
    List<Item> coldest = coldest(byDepth.values()).toList();
    Item least = null;
    for (Item item : coldest) {
      if (least == null
          || worth(item, coldest) < worth(least, coldest)
          || (worth(item, coldest) == worth(least, coldest)
              && item.entry.lastAccessTick() < least.entry.lastAccessTick())) {
        least = item;
      }
    }
    return least;
  }

  private double worth(Item item, List<Item> coldest) {
    long oldest = coldest.stream().mapToLong(each -> each.lastUse).min().orElse(0);
    int least = coldest.stream().mapToInt(each -> depthOf(each)).min().orElse(0);
    int most = coldest.stream().mapToInt(each -> depthOf(each)).max().orElse(0);
    double recency = now == oldest ? 0 : (double) (item.lastUse - oldest) / (now - oldest);
    double efficiency = most == least ? 0 : (double) (depthOf(item) - least) / (most - least);
    return recency + alpha * efficiency;
  }

  /** The depth when it was used last: tests change it, and the list is that of the last use. */
  private int depthOf(Item item) {
    return byDepth.entrySet().stream()
        .filter(each -> each.getValue() == item.list)
        .mapToInt(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }
}
