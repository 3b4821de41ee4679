package dev.ebb.plugin.llm;

import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** SGLang's slru: the least of (protected or not, time of last use). */
final class NaiveSlru extends NaiveListPolicy {

  private final List<Item> probation = new ArrayList<>();
  private final List<Item> shelter = new ArrayList<>();
  private final int threshold;

  NaiveSlru(int threshold) {
    this.threshold = threshold;
  }

  @Override
  protected void admit(Item item) {
    accessed(item);
  }

  @Override
  public void accessed(Item item) {
    move(item, item.entry.accesses() >= threshold ? shelter : probation);
  }

  @Override
  protected @Nullable Item choose() {
    Item item = coldest(probation);
    return item != null ? item : coldest(shelter);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("probation", (double) count(probation), "protected", (double) count(shelter));
  }
}
