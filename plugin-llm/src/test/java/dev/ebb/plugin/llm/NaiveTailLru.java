package dev.ebb.plugin.llm;

import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * T-LRU as the paper states it: a block is safe if the tokens to compute without it, at the next
 * prompt, are at most the limit. Blocks have 16 tokens.
 */
final class NaiveTailLru extends NaiveListPolicy {

  private final List<Item> safe = new ArrayList<>();
  private final List<Item> needed = new ArrayList<>();
  private final long limit;
  private final long nextTokens;

  NaiveTailLru(long limit, long nextTokens) {
    this.limit = limit;
    this.nextTokens = nextTokens;
  }

  @Override
  public void accessed(Item item) {
    long known = item.entry.sequenceLength();
    long history = known >= 0 ? known : 16L * (item.entry.depth() + 1);
    long uncached = history + nextTokens - 16L * item.entry.depth();
    move(item, uncached <= limit ? safe : needed);
  }

  @Override
  protected @Nullable Item choose() {
    Item item = coldest(safe);
    return item != null ? item : coldest(needed);
  }

  @Override
  public double score(Item item) {
    return item.list == safe ? 1 : 2;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("safe", (double) count(safe), "needed", (double) count(needed));
  }
}
