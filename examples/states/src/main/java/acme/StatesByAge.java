package acme;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PartChoice;
import dev.ebb.spi.QueuedBlockPolicy;

/**
 * LRU, which evicts the recurrent state of the coldest chunk before the chunk itself. Ebb's own
 * order keeps such a state as long as its chunk if a prompt has ended or branched off there.
 */
final class StatesByAge extends QueuedBlockPolicy<StatesByAge.Node> {

  static final class Node extends EntryQueue.Node<Node> {}

  private final EntryQueue<Node> queue = new EntryQueue<>("queue");

  StatesByAge(long capacityBlocks) {
    super(capacityBlocks, Node::new);
  }

  @Override
  protected void insert(Node node) {
    queue.moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    queue.moveToHot(node);
  }

  @Override
  protected Node choose(Demand demand) {
    return queue.coldest();
  }

  @Override
  public void victimPart(Demand demand, Node proposed, PartChoice choice) {
    Node coldest = queue.coldest();
    if (proposed != null || coldest == null) {
      return; // Spare states go first, as Ebb proposes.
    }
    Entry chunk = coldest.entry();
    for (int group = 0; group < chunk.groups(); group++) {
      if (chunk.window(group) == 1 && chunk.partEvictable(group)) {
        choice.set(chunk, group);
        return;
      }
    }
  }
}
