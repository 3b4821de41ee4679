package dev.ebb.plugin.lru;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Priority classes, each in order of use (as in Denning's <a
 * href="https://doi.org/10.1145/363095.363141">working set</a>, CACM 1968): evicts from the lowest
 * class first, within it the entry used longest ago.
 *
 * <p>A class that holds no more than its floor, a share of the capacity, is skipped while a higher
 * class holds more than its own. So a crowd of important requests does not starve the others. If no
 * class holds more than its floor, the lowest gives. An entry belongs to the class of the request
 * that used it last. A victim takes O(classes); classes without entries cost nothing. The score is
 * the priority.
 */
final class PriorityPolicy extends QueuedBlockPolicy<PriorityPolicy.Node> {

  private final double floor;
  private final PolicyClock clock;
  // From the lowest, at the cold end, to the highest.
  private final NodeList<PriorityClass> classes = new NodeList<>();

  PriorityPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    floor = context.settings().number("floor", 0.05, 0, 1);
    clock = context.clock();
  }

  @SuppressWarnings("NullAway.Init") // set when the node is inserted
  static final class Node extends EntryQueue.Node<Node> {
    private PriorityClass member;
  }

  /** The entries of one priority. */
  private static final class PriorityClass extends NodeList.Node<PriorityClass> {
    private final int priority;
    private final EntryQueue<Node> queue = new EntryQueue<>("class");
    private long blocks;

    private PriorityClass(int priority) {
      this.priority = priority;
    }
  }

  @Override
  protected void insert(Node node) {
    join(node);
  }

  @Override
  public void accessed(Node node) {
    if (node.member.priority == node.entry().priority()) {
      node.member.queue.moveToHot(node);
    } else {
      leave(node);
      join(node);
    }
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node fallback = null;
    PriorityClass next = classes.cold();
    for (; next != null; next = classes.hotter(next)) {
      Node node = next.queue.coldest();
      if (node != null && next.blocks > floorBlocks()) {
        return node;
      }
      fallback = fallback == null ? node : fallback;
    }
    return fallback;
  }

  @Override
  protected void remove(Node node) {
    leave(node);
  }

  @Override
  public double score(Node node) {
    return node.member.priority;
  }

  @Override
  protected String describe(Node node) {
    return "priority %d, whose class holds %d blocks with a floor of %.0f; %s"
        .formatted(
            node.member.priority,
            node.member.blocks,
            floorBlocks(),
            Uses.describe(node.entry(), clock));
  }

  @Override
  public Map<String, Double> gauges() {
    Map<String, Double> blocks = new LinkedHashMap<>();
    PriorityClass next = classes.cold();
    for (; next != null; next = classes.hotter(next)) {
      blocks.put("class-" + next.priority, (double) next.blocks);
    }
    return blocks;
  }

  private double floorBlocks() {
    return floor * capacityBlocks();
  }

  private PriorityClass classOf(int priority) {
    PriorityClass above = classes.cold();
    while (above != null && above.priority < priority) {
      above = classes.hotter(above);
    }
    if (above != null && above.priority == priority) {
      return above;
    }
    PriorityClass made = new PriorityClass(priority);
    if (above == null) {
      classes.addHot(made);
    } else {
      classes.addColderThan(made, above);
    }
    return made;
  }

  private void join(Node node) {
    node.member = classOf(node.entry().priority());
    node.member.blocks += node.blocks();
    node.member.queue.moveToHot(node);
  }

  private void leave(Node node) {
    node.member.blocks -= node.blocks();
    if (node.member.blocks == 0) {
      classes.remove(node.member);
    }
  }
}
