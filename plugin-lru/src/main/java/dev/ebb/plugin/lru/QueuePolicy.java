package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.SpareNodes;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One queue that entries join at the hot end and from whose cold end they are evicted. */
abstract class QueuePolicy implements BlockPolicy<QueuePolicy.Node> {

  final CandidateQueue<Node> queue = new CandidateQueue<>();
  private final SpareNodes<Node> spares = new SpareNodes<>();
  private final PolicyClock clock;
  private long size;
  private long setAside;

  QueuePolicy(PolicyClock clock) {
    this.clock = clock;
  }

  static final class Node extends Candidate<Node> {
    Node(Entry entry) {
      super(entry);
    }
  }

  @Override
  public Node inserted(Entry entry) {
    Node node = spares.take();
    if (node == null) {
      node = new Node(entry);
    } else {
      node.renew(entry);
    }
    queue.touch(node);
    size++;
    return node;
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node node = queue.coldest();
    return node == null ? null : node.entry;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    queue.remove(node);
    size--;
    if (node.aside) {
      setAside--;
    }
    node.forget();
    spares.give(node);
  }

  @Override
  public void refused(Node node) {
    queue.setAside(node);
    setAside++;
  }

  @Override
  public void released(Node node) {
    queue.takeBack(node);
    setAside--;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public String explain(Node node) {
    return node.use(clock.nanos());
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("set-aside", (double) setAside);
  }
}
