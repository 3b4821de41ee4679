package dev.ebb.plugin.llm;

import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** SGLang's slru: the least of (protected and not decayed, time of last use). */
final class NaiveSlru extends NaiveListPolicy {

  private final List<Item> probation = new ArrayList<>();
  private final List<Item> shelter = new ArrayList<>();
  private final int threshold;
  private final long debounce;
  private final long decay;
  private long now;

  NaiveSlru(int threshold, long debounceNanos, long decayNanos) {
    this.threshold = threshold;
    debounce = debounceNanos;
    decay = decayNanos;
  }

  @Override
  protected void admit(Item item) {
    item.uses = item.usedBefore() ? item.entry.accesses() : 1;
    use(item);
  }

  @Override
  public void accessed(Item item) {
    item.uses += item.entry.lastAccessNanos() < item.lastUse + debounce ? 0 : 1;
    use(item);
  }

  private void use(Item item) {
    item.lastUse = item.entry.lastAccessNanos();
    now = Math.max(now, item.lastUse);
    move(item, item.uses >= threshold ? shelter : probation);
  }

  private boolean isProtected(Item item) {
    return item.list == shelter && (decay == 0 || now - item.lastUse < decay);
  }

  @Override
  protected @Nullable Item choose() {
    // Asking a list for its coldest drops those set aside there.
    return Stream.of(probation, shelter)
        .limit(decay == 0 && coldest(probation) != null ? 1 : 2)
        .map(NaiveListPolicy::coldest)
        .flatMap(Stream::ofNullable)
        .min(
            Comparator.comparing(this::isProtected)
                .thenComparingLong(item -> item.entry.lastAccessTick()))
        .orElse(null);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("probation", (double) count(probation), "protected", (double) count(shelter));
  }
}
