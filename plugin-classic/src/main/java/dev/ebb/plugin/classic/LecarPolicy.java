package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.Request;
import dev.ebb.spi.Settings;
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
final class LecarPolicy extends QueuedBlockPolicy<RankedNode> {

  private static final double LEAST_WEIGHT = 0.01;

  private final EntryQueue<RankedNode> lru = new EntryQueue<>("lru");
  private final NodeHeap lfu = new NodeHeap();
  private final RandomGenerator random;
  private final double learningRate;
  private final double historyRatio;
  private final GhostList lruHistory;
  private final GhostList lfuHistory;
  private double lruWeight = 0.5;
  private long now;
  private @Nullable RankedNode offered;
  private @Nullable GhostList offeredBy;

  LecarPolicy(PolicyContext context) {
    super(context.capacityBlocks(), RankedNode::new);
    Settings settings = context.settings();
    learningRate = settings.number("learning-rate", 0.45, 0, 10);
    historyRatio = settings.number("history-ratio", 0.5, 0, 10);
    random = context.random();
    lruHistory = new GhostList(ghostCapacity(historyRatio));
    lfuHistory = new GhostList(ghostCapacity(historyRatio));
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
  protected void insert(RankedNode node) {
    node.rank = usesBefore(node.entry()) + 1;
    node.lastUse = ++now;
    lru.moveToHot(node);
    lfu.add(node);
  }

  @Override
  public void accessed(RankedNode node) {
    node.rank++;
    node.lastUse = ++now;
    lru.moveToHot(node);
    lfu.moved(node);
  }

  @Override
  protected @Nullable RankedNode choose(Demand demand) {
    RankedNode oldest = lru.coldest();
    RankedNode rarest = lfu.lowest();
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
  protected void evicted(RankedNode node) {
    if (node == offered && offeredBy != null) {
      offeredBy.add(node.entry().fingerprint(), now);
    }
  }

  @Override
  protected void remove(RankedNode node) {
    lfu.remove(node);
    if (node == offered) {
      offered = null;
    }
  }

  @Override
  protected void setAside(RankedNode node) {
    lfu.remove(node);
  }

  @Override
  protected void takeBack(RankedNode node) {
    super.takeBack(node);
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
    lruHistory.resize(ghostCapacity(historyRatio));
    lfuHistory.resize(ghostCapacity(historyRatio));
  }

  @Override
  public double score(RankedNode node) {
    return node.rank;
  }

  @Override
  protected String describe(RankedNode node) {
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
