package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/** First in, first out; the broken policies differ from it in one method each. */
class Fifo implements BlockPolicy<Fifo.Node> {

  final NodeList<Node> queue;
  long size;

  Fifo() {
    this(new NodeList<>());
  }

  Fifo(NodeList<Node> queue) {
    this.queue = queue;
  }

  static final class Node extends NodeList.Node<Node> {
    final Entry entry;

    Node(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public Node inserted(Entry entry) {
    Node node = new Node(entry);
    queue.addHot(node);
    size++;
    return node;
  }

  @Override
  public void accessed(Node node) {}

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node cold = queue.cold();
    return cold == null ? null : cold.entry;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    if (node.list() != null) {
      queue.remove(node);
    }
    size--;
  }

  @Override
  public void refused(Node node) {
    queue.remove(node);
  }

  @Override
  public void released(Node node) {
    queue.addCold(node);
  }

  @Override
  public long size() {
    return size;
  }
}
