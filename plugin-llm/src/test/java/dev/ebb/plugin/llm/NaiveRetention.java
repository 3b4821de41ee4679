package dev.ebb.plugin.llm;

import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Priorities that expire, for lifetimes of 4 and 30 seconds, of which the latter counts as 32, and
 * retention that lasts as long.
 */
final class NaiveRetention extends NaiveListPolicy {

  private final Map<String, List<Item>> lists = new TreeMap<>();
  private long now;

  @Override
  public void accessed(Item item) {
    item.lastUse = item.entry.lastAccessNanos();
    now = Math.max(now, item.lastUse);
    long left = item.entry.retainedUntilNanos() - item.lastUse;
    int priority = item.entry.priority() + (left > 0 ? item.entry.retention() : 0);
    boolean retained = left > 0 && item.entry.retention() != 0;
    boolean endless = item.entry.retainedUntilNanos() == Long.MAX_VALUE;
    long lifetime = !retained ? item.entry.lifetimeHintNanos() : endless ? -1 : left;
    String name = priority + " for " + lifetime;
    move(item, lists.computeIfAbsent(name, any -> new ArrayList<>()));
  }

  @Override
  protected @Nullable Item choose() {
    return lowest(coldest(lists.values()));
  }

  @Override
  public double score(Item item) {
    String[] words =
        lists.entrySet().stream()
            .filter(each -> each.getValue() == item.list)
            .findFirst()
            .orElseThrow()
            .getKey()
            .split(" for ");
    int priority = Integer.parseInt(words[0]);
    long idle = (now - item.lastUse) / 1_000_000_000;
    boolean expired =
        switch (words[1]) {
          case "4000000000" -> idle > 4;
          case "30000000000" -> idle > 32;
          default -> false;
        };
    return expired && priority > 1 ? 1 : priority;
  }
}
