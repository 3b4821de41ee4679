package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.Membership;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import java.util.List;
import org.junit.jupiter.api.Test;

class MembersTest {

  /** A membership that lists nodes as they were when it began. */
  private static final class Slow implements Membership {

    private final List<Node> nodes =
        List.of(described(1, NodeState.ACTIVE), described(2, NodeState.ACTIVE));
    private Node self = nodes.getFirst();

    @Override
    public Node self() {
      return self;
    }

    @Override
    public List<Node> nodes() {
      return nodes;
    }

    @Override
    public void publish(Node node) {
      self = node;
    }

    @Override
    public void listen(Membership.ChangeListener listener) {
      throw new UnsupportedOperationException();
    }
  }

  private static Node described(int id, NodeState state) {
    return new Node("n" + id, id, "", "", "127.0.0.1", 1, "", "", state, 0, 0, 0, 0, 0, 0, 0, "");
  }

  @Test
  void whatThisNodePublishesHoldsBeforeTheMembershipListsIt() {
    Membership membership = new Slow();
    Members members = new Members(membership);
    assertThat(members.isActive()).isTrue();
    membership.publish(described(1, NodeState.DRAINING));
    members.refresh();
    assertThat(members.isActive()).isFalse();
    assertThat(members.topology().active(2)).isTrue();
    assertThat(members.otherIds()).containsExactly(2);
  }
}
