package dev.ebb.host.policy;

import dev.ebb.host.cache.policy.Gauges;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.Origin;
import dev.ebb.spi.PartChoice;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps new entries from a strategy until they have been used often enough. They wait in a FIFO
 * queue and are handed over at the required access. Victims come from the queue while it exceeds
 * its share of the capacity, or the strategy offers none; otherwise from the strategy.
 */
class Probation<N> implements BlockPolicy<Probation.Node<N>> {

  private static final Set<String> OPTIONAL = Set.of("began", "ended", "lookupMissed", "admits");

  final BlockPolicy<N> strategy;
  private final Gauges gauges;
  private final int minAccesses;
  private final double ratio;
  private final NodeList<Node<N>> queue = new NodeList<>();

  /** Blocks and entries on probation, those set aside included. */
  private long waitingBlocks;

  private long waiting;
  private long share;

  private Probation(
      String name, BlockPolicy<N> strategy, int minAccesses, double ratio, long capacityBlocks) {
    this.strategy = strategy;
    gauges = new Gauges(name);
    this.minAccesses = minAccesses;
    this.ratio = ratio;
    share = share(capacityBlocks, ratio);
  }

  /**
   * Returns a strategy with a probation queue before it.
   *
   * @param name the strategy's, for messages
   * @param strategy holds nothing, and manages the capacity less the share
   * @param minAccesses uses after which an entry is handed over, at least 2
   * @param ratio the queue's share of the capacity, 0 to 1
   */
  static <N> BlockPolicy<?> before(
      String name, BlockPolicy<N> strategy, int minAccesses, double ratio, long capacityBlocks) {
    // What a policy overrides, the host calls, which costs time.
    if (overrides(strategy, Set.of("victimPart"))) {
      return new Choosing<>(name, strategy, minAccesses, ratio, capacityBlocks);
    }
    return overrides(strategy, OPTIONAL)
        ? new Hearing<>(name, strategy, minAccesses, ratio, capacityBlocks)
        : new Probation<>(name, strategy, minAccesses, ratio, capacityBlocks);
  }

  /** Returns the queue's share in blocks. */
  static long share(long capacityBlocks, double ratio) {
    return (long) (capacityBlocks * ratio);
  }

  /** An entry, on probation until it has a node of the strategy's. */
  static final class Node<N> extends NodeList.Node<Node<N>> {
    private final Entry entry;
    private int accesses;
    private boolean aside;
    private @Nullable N inner;

    private Node(Entry entry) {
      this.entry = entry;
    }
  }

  /** For strategies that receive requests and misses, or decide on admission. */
  private static class Hearing<N> extends Probation<N> {

    Hearing(
        String name, BlockPolicy<N> strategy, int minAccesses, double ratio, long capacityBlocks) {
      super(name, strategy, minAccesses, ratio, capacityBlocks);
    }

    @Override
    public void began(Request request) {
      strategy.began(request);
    }

    @Override
    public void ended(Request request) {
      strategy.ended(request);
    }

    @Override
    public void lookupMissed(long fingerprint) {
      strategy.lookupMissed(fingerprint);
    }

    @Override
    public boolean admits(Request request, int index, Node<N> victim) {
      return victim.inner == null || strategy.admits(request, index, victim.inner);
    }
  }

  /** For strategies that choose objects of chunks, of those that they hold. */
  private static final class Choosing<N> extends Hearing<N> {

    Choosing(
        String name, BlockPolicy<N> strategy, int minAccesses, double ratio, long capacityBlocks) {
      super(name, strategy, minAccesses, ratio, capacityBlocks);
    }

    @Override
    public void victimPart(Demand demand, @Nullable Node<N> proposed, PartChoice choice) {
      N inner = proposed == null ? null : proposed.inner;
      if (proposed == null || inner != null) {
        strategy.victimPart(demand, inner, choice);
      }
    }
  }

  @Override
  public Node<N> inserted(Entry entry) {
    Node<N> node = new Node<>(entry);
    node.accesses = entry.origin() == Origin.HANDED_OVER ? entry.accesses() : 1;
    if (node.accesses >= minAccesses) {
      node.inner = strategy.inserted(entry);
    } else {
      waiting++;
      waitingBlocks += entry.blocks();
      queue.addHot(node);
    }
    return node;
  }

  @Override
  public void accessed(Node<N> node) {
    if (node.inner != null) {
      strategy.accessed(node.inner);
      return;
    }
    node.accesses++;
    // The strategy must not offer entries that the host has set aside, so the hand-over waits.
    if (node.accesses >= minAccesses && !node.aside) {
      queue.remove(node);
      handOver(node);
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node<N> first = queue.cold();
    if (first != null && waitingBlocks > share) {
      return first.entry;
    }
    Entry offered = strategy.victim(demand);
    return offered != null || first == null ? offered : first.entry;
  }

  @Override
  public void removed(Node<N> node, RemovalCause cause) {
    if (node.inner != null) {
      strategy.removed(node.inner, cause);
      return;
    }
    if (!node.aside) {
      queue.remove(node);
    }
    leave(node);
  }

  @Override
  public void refused(Node<N> node) {
    if (node.inner != null) {
      strategy.refused(node.inner);
      return;
    }
    node.aside = true;
    queue.remove(node);
  }

  @Override
  public void released(Node<N> node) {
    if (node.inner != null) {
      strategy.released(node.inner);
      return;
    }
    node.aside = false;
    if (node.accesses >= minAccesses) {
      handOver(node);
    } else {
      queue.addCold(node);
    }
  }

  @Override
  public long size() {
    return waiting + strategy.size();
  }

  @Override
  public void resized(long capacityBlocks) {
    share = share(capacityBlocks, ratio);
    strategy.resized(Math.max(1, capacityBlocks - share));
  }

  @Override
  public double score(Node<N> node) {
    return node.inner == null ? Double.NaN : strategy.score(node.inner);
  }

  @Override
  public String explain(Node<N> node) {
    return node.inner == null
        ? "on probation: %d of %d uses".formatted(node.accesses, minAccesses)
        : strategy.explain(node.inner);
  }

  @Override
  public Map<String, Double> gauges() {
    Map<String, Double> all = new LinkedHashMap<>();
    all.put("probation-entries", (double) waiting);
    all.put("probation-blocks", (double) waitingBlocks);
    gauges.read(strategy::gauges).forEach(all::putIfAbsent);
    return all;
  }

  @Override
  public int stateFormat() {
    return strategy.stateFormat();
  }

  @Override
  public void saveState(OutputStream out) throws IOException {
    strategy.saveState(out);
  }

  @Override
  public void loadState(InputStream in) throws IOException {
    strategy.loadState(in);
  }

  @Override
  public void close() {
    strategy.close();
  }

  private void handOver(Node<N> node) {
    leave(node);
    node.inner = strategy.inserted(node.entry);
  }

  private void leave(Node<N> node) {
    waiting--;
    waitingBlocks -= node.entry.blocks();
  }

  private static boolean overrides(BlockPolicy<?> strategy, Set<String> methods) {
    return Arrays.stream(strategy.getClass().getMethods())
        .filter(method -> method.getDeclaringClass() != BlockPolicy.class)
        .anyMatch(method -> methods.contains(method.getName()));
  }
}
