package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Least recently used first, and insists that the host keeps its half of the contract, on one
 * thread, with other events between an offer and its answer. What it asserts in vain ends its
 * service, and is then the cache's last fault.
 */
class CheckedPolicy implements BlockPolicy<CheckedPolicy.Node> {

  private final BuiltInLru order = new BuiltInLru();
  private @Nullable Entry offered;
  private @Nullable Thread home;
  private long held;
  final AtomicLong insertions = new AtomicLong();
  final AtomicLong removals = new AtomicLong();
  volatile boolean closed;

  static final class Node {
    private final Entry entry;
    private final BuiltInLru.Node node;
    private boolean aside;
    private boolean gone;

    Node(Entry entry, BuiltInLru.Node node) {
      this.entry = entry;
      this.node = node;
    }
  }

  /** Decides at random whether it admits a block. */
  static final class Deciding extends CheckedPolicy {

    private final Random random = new Random(1);
    final AtomicLong rejections = new AtomicLong();

    @Override
    public boolean admits(Request request, int index, Node victim) {
      answersOffer(victim);
      assertThat(index).isBetween(0, request.blocks() - 1);
      boolean admitted = random.nextBoolean();
      if (!admitted) {
        keep();
        rejections.incrementAndGet();
      }
      return admitted;
    }
  }

  void answersOffer(Node victim) {
    home();
    here(victim);
    assertThat(offered).as("asked about what was offered").isSameAs(victim.entry);
  }

  void keep() {
    offered = null;
  }

  private void home() {
    if (home == null) {
      home = Thread.currentThread();
    }
    assertThat(Thread.currentThread()).isSameAs(home);
    assertThat(closed).isFalse();
  }

  private static void here(Node node) {
    assertThat(node.gone).as("removed once").isFalse();
  }

  @Override
  public Node inserted(Entry entry) {
    home();
    held++;
    insertions.incrementAndGet();
    return new Node(entry, order.inserted(entry));
  }

  @Override
  public void accessed(Node node) {
    home();
    here(node);
    order.accessed(node.node);
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    home();
    assertThat(demand.blocks()).isPositive();
    assertThat(offered).as("the last offer was answered").isNull();
    offered = order.victim(demand);
    return offered;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    home();
    here(node);
    if (node.entry == offered) {
      offered = null;
    }
    node.gone = true;
    held--;
    removals.incrementAndGet();
    order.removed(node.node, cause);
  }

  @Override
  public void refused(Node node) {
    home();
    here(node);
    assertThat(offered).as("only what was offered is refused").isSameAs(node.entry);
    offered = null;
    assertThat(node.aside).isFalse();
    node.aside = true;
    order.refused(node.node);
  }

  @Override
  public void released(Node node) {
    home();
    here(node);
    assertThat(node.aside).as("released only after refused").isTrue();
    node.aside = false;
    order.released(node.node);
  }

  @Override
  public long size() {
    home();
    assertThat(order.size()).isEqualTo(held);
    return held;
  }

  @Override
  public void close() {
    home();
    closed = true;
  }
}
