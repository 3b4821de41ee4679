package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import dev.ebb.spi.SpareNodes;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * S3-FIFO, of Yang, Zhang, Qiu, Yue and Rashmi, <a
 * href="https://dl.acm.org/doi/10.1145/3600006.3613147">FIFO Queues are All You Need for Cache
 * Eviction</a> (SOSP '23), algorithm 1.
 *
 * <p>{@code small}, {@code main} and {@code ghosts} are the paper's S, M and G, {@code frequency}
 * its freq. New entries pass through S. Entries used often enough there go on to M; the rest are
 * evicted and remembered in G. An entry that G remembers enters M immediately.
 *
 * <p>As in the authors' own implementation, a victim searched in S is taken from S. That holds even
 * if the entries that move on make M larger than its share; the printed algorithm then evicts from
 * M. M then gives the next victims.
 *
 * <p>Sizes count entries. The access count stops at 3; a victim is found in O(1) amortised. A node
 * that is set aside leaves its queue, still counts, and comes back at the cold end. Ghosts are
 * trimmed when a request ends, so that no block of a request is forgotten because room was made for
 * that very request. The score is the frequency.
 */
final class S3FifoPolicy implements BlockPolicy<S3FifoPolicy.Node> {

  private static final int MAX_FREQUENCY = 3;

  private final double smallRatio;
  private final double ghostRatio;
  private final int moveToMainThreshold;
  private final Queue small = new Queue("small");
  private final Queue main = new Queue("main");
  private final SpareNodes<Node> spares = new SpareNodes<>();
  private final GhostList ghosts;
  private long capacityBlocks;
  private long heldBlocks;

  /**
   * Creates a policy that holds nothing.
   *
   * @param smallRatio size of S as a share of the capacity
   * @param ghostRatio size of G as a share of the capacity
   * @param moveToMainThreshold accesses in S after which an entry moves to M
   */
  S3FifoPolicy(long capacityBlocks, double smallRatio, double ghostRatio, int moveToMainThreshold) {
    this.capacityBlocks = capacityBlocks;
    this.smallRatio = smallRatio;
    this.ghostRatio = ghostRatio;
    this.moveToMainThreshold = moveToMainThreshold;
    ghosts = new GhostList(ghostBound());
  }

  static final class Node extends NodeList.Node<Node> {
    private Entry entry;
    private int blocks;
    private boolean inMain;
    private byte frequency;

    private Node(Entry entry) {
      this.entry = entry;
    }

    @SuppressWarnings("NullAway") // not read until the node serves another entry
    private void forget() {
      entry = null;
    }
  }

  /** S or M: the entries that may be offered, and the number of all its entries. */
  private static final class Queue {
    private final String name;
    private final NodeList<Node> order = new NodeList<>();
    private long size;

    private Queue(String name) {
      this.name = name;
    }

    private void enter(Node node) {
      order.addHot(node);
      size++;
    }

    private void leave(Node node) {
      if (node.list() != null) {
        order.remove(node);
      }
      size--;
    }
  }

  @Override
  public Node inserted(Entry entry) {
    boolean proven =
        ghosts.remove(entry.fingerprint())
            || (entry.origin() == Origin.HANDED_OVER && entry.accesses() > moveToMainThreshold);
    Node node = spares.take();
    if (node == null) {
      node = new Node(entry);
    } else {
      node.entry = entry;
      node.frequency = 0;
    }
    node.inMain = proven;
    queue(node).enter(node);
    node.blocks = entry.blocks();
    heldBlocks += node.blocks;
    return node;
  }

  @Override
  public void accessed(Node node) {
    if (node.frequency < MAX_FREQUENCY) {
      node.frequency++;
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node node = small.size >= smallTarget() ? null : mainVictim();
    if (node == null) {
      node = smallVictim();
    }
    // Looking through S may have moved all of it to M.
    if (node == null) {
      node = mainVictim();
    }
    return node == null ? null : node.entry;
  }

  private @Nullable Node smallVictim() {
    Node node = small.order.cold();
    while (node != null && node.frequency >= moveToMainThreshold) {
      small.leave(node);
      node.frequency = 0;
      node.inMain = true;
      main.enter(node);
      node = small.order.cold();
    }
    return node;
  }

  private @Nullable Node mainVictim() {
    Node node = main.order.cold();
    while (node != null && node.frequency > 0) {
      node.frequency--;
      main.order.moveToHot(node);
      node = main.order.cold();
    }
    return node;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    queue(node).leave(node);
    heldBlocks -= node.blocks;
    if (cause.forCapacity() && !node.inMain) {
      ghosts.add(node.entry.fingerprint());
    }
    node.forget();
    spares.give(node);
  }

  @Override
  public void ended(Request request) {
    long limit = (long) (ghostRatio * capacity());
    while (ghosts.size() > limit) {
      ghosts.removeOldest();
    }
  }

  @Override
  public void refused(Node node) {
    queue(node).order.remove(node);
  }

  @Override
  public void released(Node node) {
    queue(node).order.addCold(node);
  }

  @Override
  public long size() {
    return small.size + main.size;
  }

  @Override
  public void resized(long capacityBlocks) {
    this.capacityBlocks = capacityBlocks;
    ghosts.resize(ghostBound());
  }

  @Override
  public double score(Node node) {
    return node.frequency;
  }

  @Override
  public String explain(Node node) {
    return "in the %s queue with %d recent %s; small holds %d entries of a target of %d%s"
        .formatted(
            queue(node).name,
            node.frequency,
            node.frequency == 1 ? "use" : "uses",
            small.size,
            smallTarget(),
            node.list() == null ? "; set aside, because it cannot leave now" : "");
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "small", (double) small.size,
        "main", (double) main.size,
        "ghosts", (double) ghosts.size());
  }

  private Queue queue(Node node) {
    return node.inMain ? main : small;
  }

  private long smallTarget() {
    return Math.max(1, (long) (smallRatio * capacity()));
  }

  /** Returns the room for the ghosts, and for those added while one request makes room. */
  private long ghostBound() {
    return (long) Math.ceil(ghostRatio * capacityBlocks * 1.25) + 1;
  }

  /** Returns how many entries of the current mean size fit. */
  private double capacity() {
    long held = size();
    return held == 0 ? capacityBlocks : capacityBlocks / ((double) heldBlocks / held);
  }
}
