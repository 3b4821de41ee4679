package dev.ebb.host.cluster.directory;

import java.util.List;

/** The nodes of the cluster. Thread-safe. */
public interface Membership {

  /** Returns this node, as last published. */
  Node self();

  /** Returns the live nodes with this one, sorted by name. */
  List<Node> nodes();

  /** Publishes this node's state to the others. */
  void publish(Node self);

  /** Adds a listener to nodes that join or leave, and to partitions that heal. */
  void listen(MembershipListener listener);
}
