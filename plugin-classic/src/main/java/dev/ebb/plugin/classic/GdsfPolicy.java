package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * GDSF, of Cherkasova, <a href="https://www.hpl.hp.com/techreports/98/HPL-98-69R1.html">Improving
 * WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy</a> (HP Labs, 1998).
 *
 * <p>The key of an entry is {@code L + F * C / S}: the cache's age L at its last use, plus its
 * number of uses F times its cost C per size S. The lowest key is evicted, and becomes the age. So
 * small, expensive and popular entries stay longer, and old popularity fades.
 *
 * <p>The size is in blocks. The cost is 1 for each entry ({@code UNIFORM}, the paper's GDSF(1)), or
 * the client's cost of computing the entry again ({@code RECOMPUTE}). An entry of unknown cost
 * counts as the mean cost per block of those known so far, or 1 per block if none is.
 *
 * <p>O(log n) for a use and for a victim. A released node keeps its key. The score is the key.
 *
 * <p><b>Prefix streams.</b> Blocks of prompts have one size. With uniform cost GDSF then evicts as
 * LFU with dynamic ageing does: {@code lfu(ageing=dynamic)}. A block's cost grows with its depth,
 * because attention reads all blocks before it. So {@code RECOMPUTE} keeps deep blocks longer,
 * although fewer prompts share them.
 */
final class GdsfPolicy extends QueuedBlockPolicy<RankedNode> {

  /** The paper's C. */
  enum Cost {
    /** 1 for each entry: the number of hits counts. */
    UNIFORM,
    /** The cost of computing the entry again: the time saved counts. */
    RECOMPUTE
  }

  private final NodeHeap heap = new NodeHeap();
  private final Cost cost;
  private double age;
  private long now;
  private double knownCost;
  private long knownBlocks;

  GdsfPolicy(PolicyContext context) {
    super(context.capacityBlocks(), RankedNode::new);
    cost = context.settings().choice("cost", Cost.UNIFORM);
  }

  @Override
  protected void insert(RankedNode node) {
    node.uses = usesBefore(node.entry()) + 1;
    use(node);
    heap.add(node);
  }

  @Override
  public void accessed(RankedNode node) {
    node.uses++;
    use(node);
    heap.moved(node);
  }

  private void use(RankedNode node) {
    node.lastUse = ++now;
    node.rank = age + node.uses * cost(node) / node.blocks();
  }

  private double cost(RankedNode node) {
    if (cost == Cost.UNIFORM) {
      return 1;
    }
    double known = node.entry().recomputeCost();
    if (known >= 0 && known < Double.POSITIVE_INFINITY) {
      knownCost += known;
      knownBlocks += node.blocks();
      return known;
    }
    return knownBlocks == 0 ? node.blocks() : knownCost / knownBlocks * node.blocks();
  }

  @Override
  protected @Nullable RankedNode choose(Demand demand) {
    return heap.lowest();
  }

  @Override
  protected void evicted(RankedNode node) {
    age = Math.max(age, node.rank);
  }

  @Override
  protected void remove(RankedNode node) {
    heap.remove(node);
  }

  @Override
  protected void setAside(RankedNode node) {
    heap.remove(node);
  }

  @Override
  protected void takeBack(RankedNode node) {
    heap.add(node);
  }

  @Override
  public double score(RankedNode node) {
    return node.rank;
  }

  @Override
  protected String describe(RankedNode node) {
    return "%d %s, %d blocks, key %.3f; the cache's age is %.3f"
        .formatted(node.uses, node.uses == 1 ? "use" : "uses", node.blocks(), node.rank, age);
  }

  @Override
  public Map<String, Double> gauges() {
    RankedNode lowest = heap.lowest();
    return Map.of("age", age, "lowest-key", lowest == null ? 0.0 : lowest.rank);
  }
}
