package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.SpareNodes;
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
final class PriorityPolicy implements BlockPolicy<PriorityPolicy.Node> {

  private final double floor;
  private final PolicyClock clock;
  private final SpareNodes<Node> spares = new SpareNodes<>();
  // From the lowest, at the cold end, to the highest.
  private final NodeList<PriorityClass> classes = new NodeList<>();
  private long capacityBlocks;
  private long size;

  PriorityPolicy(double floor, long capacityBlocks, PolicyClock clock) {
    this.floor = floor;
    this.capacityBlocks = capacityBlocks;
    this.clock = clock;
  }

  static final class Node extends Candidate<Node> {
    private int blocks;
    private PriorityClass member;

    private Node(Entry entry, PriorityClass member) {
      super(entry);
      this.member = member;
    }
  }

  /** The entries of one priority. */
  private static final class PriorityClass extends NodeList.Node<PriorityClass> {
    private final int priority;
    private final CandidateQueue<Node> queue = new CandidateQueue<>();
    private long blocks;

    private PriorityClass(int priority) {
      this.priority = priority;
    }
  }

  @Override
  public Node inserted(Entry entry) {
    PriorityClass member = classOf(entry.priority());
    Node node = spares.take();
    if (node == null) {
      node = new Node(entry, member);
    } else {
      node.renew(entry);
      node.member = member;
    }
    node.blocks = entry.blocks();
    join(node);
    size++;
    return node;
  }

  @Override
  public void accessed(Node node) {
    if (node.member.priority == node.entry.priority()) {
      node.member.queue.touch(node);
    } else {
      leave(node);
      node.member = classOf(node.entry.priority());
      join(node);
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node fallback = null;
    PriorityClass next = classes.cold();
    for (; next != null; next = classes.hotter(next)) {
      Node node = next.queue.coldest();
      if (node != null && next.blocks > floorBlocks()) {
        return node.entry;
      }
      fallback = fallback == null ? node : fallback;
    }
    return fallback == null ? null : fallback.entry;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    leave(node);
    size--;
    node.forget();
    spares.give(node);
  }

  @Override
  public void refused(Node node) {
    node.member.queue.setAside(node);
  }

  @Override
  public void released(Node node) {
    node.member.queue.takeBack(node);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void resized(long capacityBlocks) {
    this.capacityBlocks = capacityBlocks;
  }

  @Override
  public double score(Node node) {
    return node.member.priority;
  }

  @Override
  public String explain(Node node) {
    return "priority %d, whose class holds %d blocks with a floor of %.0f; %s"
        .formatted(
            node.member.priority, node.member.blocks, floorBlocks(), node.use(clock.nanos()));
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
    return floor * capacityBlocks;
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

  private static void join(Node node) {
    node.member.blocks += node.blocks;
    node.member.queue.touch(node);
  }

  private void leave(Node node) {
    node.member.queue.remove(node);
    node.member.blocks -= node.blocks;
    if (node.member.blocks == 0) {
      classes.remove(node.member);
    }
  }
}
