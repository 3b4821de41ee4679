package dev.ebb.plugin.classic;

import dev.ebb.spi.RemovalCause;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** GDSF by a walk over all entries. */
final class NaiveGdsf extends NaivePolicy {

  private final Map<Item, Double> keys = new HashMap<>();
  private final int blocksEach;
  private double age;
  private long now;

  NaiveGdsf(long capacityBlocks, int blocksEach) {
    super(capacityBlocks, blocksEach);
    this.blocksEach = blocksEach;
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
    keys.put(item, age + item.uses * 1.0 / blocksEach);
  }

  @Override
  protected @Nullable Item choose() {
    return candidates()
        .min(Comparator.comparing(this::score).thenComparing(item -> item.lastUse))
        .orElse(null);
  }

  @Override
  public void removed(Item item, RemovalCause cause) {
    residents.remove(item);
    double key = keys.remove(item);
    age = cause.forCapacity() ? Math.max(age, key) : age;
  }

  @Override
  public double score(Item item) {
    return keys.getOrDefault(item, Double.NaN);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("age", age);
  }
}
