package dev.ebb.host.cluster.directory;

import java.util.List;
import java.util.Optional;

public interface Membership {

  /** Called on a thread of the membership: implementations return quickly. */
  interface ChangeListener {

    /**
     * Nodes have joined or left, or directory entries have moved between them.
     *
     * @param entriesLost whether directory entries may be missing or old, so that each node has to
     *     announce its copies again: after a partition healed, or too many nodes were lost at once
     */
    void changed(boolean entriesLost);
  }

  Node self();

  /** Returns the live nodes with this one, sorted by name. */
  List<Node> nodes();

  /** Returns a live node. */
  default Optional<Node> node(int id) {
    return nodes().stream().filter(each -> each.id() == id).findFirst();
  }

  /** Publishes this node's state to the others. */
  void publish(Node self);

  /** Adds a listener to nodes that join or leave, and to partitions that heal. */
  void listen(ChangeListener listener);
}
