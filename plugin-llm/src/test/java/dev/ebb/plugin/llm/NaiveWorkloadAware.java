package dev.ebb.plugin.llm;

import dev.ebb.spi.Entry;
import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The workload-aware policy, which keeps all waits of each class and asks every class. */
final class NaiveWorkloadAware extends NaiveListPolicy {

  private static final double MINUTE = 60e9;

  private final Map<String, List<Item>> lists = new HashMap<>();
  private final Map<List<Item>, String> names = new IdentityHashMap<>();
  private final Map<String, List<Double>> waits = new HashMap<>();
  private final Map<String, Integer> uses = new HashMap<>();
  private final List<Double> lives = new ArrayList<>();
  private double life = MINUTE;
  private long now;

  private static String nameOf(Entry entry) {
    String turn = entry.turn() > 1 ? "later" : "turn " + entry.turn();
    return entry.workload() + ", " + turn + ", hint " + entry.hint();
  }

  @Override
  protected void admit(Item item) {
    use(item);
  }

  @Override
  public void accessed(Item item) {
    double wait = item.entry.lastAccessNanos() - item.lastUse;
    waitsOf(names.get(item.list)).add(wait);
    use(item);
  }

  private List<Double> waitsOf(@Nullable String name) {
    return waits.computeIfAbsent(String.valueOf(name), any -> new ArrayList<>(List.of(MINUTE)));
  }

  private void use(Item item) {
    String name = nameOf(item.entry);
    List<Item> list = lists.computeIfAbsent(name, any -> new ArrayList<>());
    names.put(list, name);
    uses.merge(name, 1, Integer::sum);
    now = Math.max(now, item.entry.lastAccessNanos());
    item.lastUse = item.entry.lastAccessNanos();
    move(item, list);
  }

  @Override
  protected void evicted(Item item) {
    lives.add((double) now - item.lastUse);
    life = meanLife();
  }

  @Override
  protected @Nullable Item choose() {
    Item least = null;
    for (List<Item> list : lists.values()) {
      Item item = coldest(list);
      if (item != null
          && (least == null
              || probability(item) < probability(least)
              || (probability(item) == probability(least)
                  && item.entry.lastAccessTick() < least.entry.lastAccessTick()))) {
        least = item;
      }
    }
    return least;
  }

  private double probability(Item item) {
    String name = names.get(item.list);
    List<Double> known = waitsOf(name);
    double mean = known.stream().mapToDouble(Double::doubleValue).sum() / known.size();
    double share = (double) known.size() / (uses.getOrDefault(name, 0) + 2);
    double idle = (double) now - item.lastUse;
    return share * (Math.exp(-idle / mean) - Math.exp(-(idle + life) / mean));
  }

  /** The mean of up to a thousand lives; older ones count less and less. */
  private double meanLife() {
    double mean = MINUTE;
    int count = 0;
    for (double each : lives) {
      count = Math.min(1000, count + 1);
      mean += (each - mean) / count;
    }
    return mean;
  }

  @Override
  public double score(Item item) {
    return probability(item);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("life-seconds", life / 1e9);
  }
}
