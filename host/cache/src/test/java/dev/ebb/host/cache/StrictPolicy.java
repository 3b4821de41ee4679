package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Offers at random, and insists that the host keeps its half of the contract. */
final class StrictPolicy implements BlockPolicy<StrictPolicy.Node> {

  private final Random random;
  private final List<Node> candidates = new ArrayList<>();
  private @Nullable Node offered;
  private long held;

  StrictPolicy(Random random) {
    this.random = random;
  }

  static final class Node {
    private final Entry entry;
    private boolean aside;
    private boolean gone;

    Node(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public Node inserted(Entry entry) {
    assertThat(offered).isNull();
    Node node = new Node(entry);
    candidates.add(node);
    held++;
    return node;
  }

  @Override
  public void accessed(Node node) {
    assertThat(node.gone).isFalse();
    assertThat(offered).isNull();
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    assertThat(offered).as("the last offer was answered").isNull();
    assertThat(demand.blocks()).isPositive();
    if (candidates.isEmpty()) {
      return null;
    }
    offered = candidates.get(random.nextInt(candidates.size()));
    return offered.entry;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    assertThat(node.gone).isFalse();
    if (cause == RemovalCause.EVICTED) {
      assertThat(offered).isSameAs(node);
      offered = null;
    }
    node.gone = true;
    held--;
    candidates.remove(node);
  }

  @Override
  public void refused(Node node) {
    assertThat(offered).isSameAs(node);
    offered = null;
    node.aside = true;
    candidates.remove(node);
  }

  @Override
  public void released(Node node) {
    assertThat(node.aside).as("released only after refused").isTrue();
    assertThat(node.gone).isFalse();
    node.aside = false;
    candidates.add(node);
  }

  @Override
  public long size() {
    return held;
  }
}
