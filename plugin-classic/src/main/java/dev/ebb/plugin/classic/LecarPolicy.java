package dev.ebb.plugin.classic;

import dev.ebb.spi.GhostList;
import dev.ebb.spi.Request;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * LeCaR, of Vietri et al., <a
 * href="https://www.usenix.org/conference/hotstorage18/presentation/vietri">Driving Cache
 * Replacement with ML-based LeCaR</a> (HotStorage '18), algorithms 1 and 2.
 *
 * <p>Two experts name a victim each: LRU, and LFU with the least recently used among equals. The
 * policy follows LRU with a probability, its weight, otherwise LFU. Each expert has a history of
 * what it evicted. A miss found in a history was that expert's mistake: its weight is multiplied by
 * {@code exp(-rate * d^t)}, t being the time since the eviction in uses, and both weights are
 * divided by their sum. If both experts name the same entry, neither history gets it.
 *
 * <p>As in the authors' code, the learning rate is 0.45, {@code d} is 0.005 to the power of 1 /
 * capacity, each history remembers half as many entries as the cache has, and weights stay within
 * 0.01 and 0.99. Uses count since the entry became resident; the authors' code restores the count
 * of an entry found in a history.
 *
 * <p>O(log n) for a use and for a victim. The score is the number of uses.
 *
 * <p><b>Prefix streams.</b> A prompt that returns after its eviction is a run of misses in one
 * history, and each block of it counts as a mistake. So one long prompt can decide the weights, and
 * in large caches they are often near a limit. LFU seldom names an entry that is better than the
 * one of LRU: most leaves were used once, so both name the oldest of them.
 */
final class LecarPolicy extends ClassicPolicy {

  private static final double LEAST_WEIGHT = 0.01;

  private final EntryQueue lru = new EntryQueue("lru");
  private final NodeHeap lfu = new NodeHeap();
  private final RandomGenerator random;
  private final double learningRate;
  private final double historyRatio;
  private final GhostList lruHistory;
  private final GhostList lfuHistory;
  private double lruWeight = 0.5;
  private long now;
  private @Nullable CachedNode offered;
  private @Nullable GhostList offeredBy;

  /**
   * Creates a policy that holds nothing.
   *
   * @param learningRate the paper's lambda
   * @param historyRatio size of each history as a share of the capacity
   */
  LecarPolicy(
      long capacityBlocks, double learningRate, double historyRatio, RandomGenerator random) {
    super(capacityBlocks);
    this.learningRate = learningRate;
    this.historyRatio = historyRatio;
    this.random = random;
    lruHistory = new GhostList(ghostBound(historyRatio));
    lfuHistory = new GhostList(ghostBound(historyRatio));
  }

  @Override
  public void began(Request request) {
    for (int i = request.matched(); i < request.blocks(); i++) {
      missed(request.fingerprint(i));
    }
  }

  private void missed(long fingerprint) {
    long evictedAt = lruHistory.value(fingerprint, -1);
    if (lruHistory.remove(fingerprint)) {
      double weight = lruWeight * penalty(evictedAt);
      setLruWeight(weight / (weight + 1 - lruWeight));
      return;
    }
    evictedAt = lfuHistory.value(fingerprint, -1);
    if (lfuHistory.remove(fingerprint)) {
      double lfuWeight = (1 - lruWeight) * penalty(evictedAt);
      setLruWeight(lruWeight / (lruWeight + lfuWeight));
    }
  }

  private double penalty(long evictedAt) {
    double discount = Math.pow(0.005, (double) (now - evictedAt) / capacity());
    return Math.exp(-learningRate * discount);
  }

  private void setLruWeight(double weight) {
    lruWeight = Math.clamp(weight, LEAST_WEIGHT, 1 - LEAST_WEIGHT);
  }

  @Override
  void enter(CachedNode node) {
    node.rank = usesBefore(node.entry) + 1;
    node.lastUse = ++now;
    lru.add(node);
    lfu.add(node);
  }

  @Override
  public void accessed(CachedNode node) {
    node.rank++;
    node.lastUse = ++now;
    lru.touch(node);
    lfu.moved(node);
  }

  @Override
  @Nullable CachedNode coldest() {
    CachedNode oldest = lru.coldest();
    CachedNode rarest = lfu.lowest();
    offered = oldest;
    offeredBy = null;
    if (oldest != rarest) {
      boolean useLru = random.nextDouble() < lruWeight;
      offered = useLru ? oldest : rarest;
      offeredBy = useLru ? lruHistory : lfuHistory;
    }
    return offered;
  }

  @Override
  void evicted(CachedNode node) {
    if (node == offered && offeredBy != null) {
      offeredBy.add(node.entry.fingerprint(), now);
    }
  }

  @Override
  void leave(CachedNode node) {
    super.leave(node);
    lfu.remove(node);
    if (node == offered) {
      offered = null;
    }
  }

  @Override
  void hide(CachedNode node) {
    super.hide(node);
    lfu.remove(node);
  }

  @Override
  void show(CachedNode node) {
    super.show(node);
    lfu.add(node);
  }

  @Override
  public void ended(Request request) {
    trim(lruHistory, historyRatio);
    trim(lfuHistory, historyRatio);
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    lruHistory.resize(ghostBound(historyRatio));
    lfuHistory.resize(ghostBound(historyRatio));
  }

  @Override
  public double score(CachedNode node) {
    return node.rank;
  }

  @Override
  String describe(CachedNode node) {
    return "%.0f %s; the weight of LRU is %.2f, that of LFU %.2f"
        .formatted(node.rank, node.rank == 1 ? "use" : "uses", lruWeight, 1 - lruWeight);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "lru-weight", lruWeight,
        "lru-history", (double) lruHistory.size(),
        "lfu-history", (double) lfuHistory.size());
  }
}
