package dev.ebb.host.cluster.directory;

import java.util.List;

public interface Membership {

  Node self();

  /** Returns the live nodes with this one, sorted by name. */
  List<Node> nodes();

  /** Publishes this node's state to the others. */
  void publish(Node self);

  /** Adds a listener to nodes that join or leave, and to partitions that heal. */
  void listen(MembershipListener listener);
}
