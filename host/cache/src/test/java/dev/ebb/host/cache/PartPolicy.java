package dev.ebb.host.cache;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PartChoice;
import dev.ebb.spi.QueuedBlockPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** LRU that leaves the choice of objects of chunks to the host. */
class PartPolicy extends QueuedBlockPolicy<PartPolicy.Node> {

  static final class Node extends EntryQueue.Node<Node> {}

  private final EntryQueue<Node> queue = new EntryQueue<>("queue");

  PartPolicy(long capacity) {
    super(capacity, Node::new);
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
  protected @Nullable Node choose(Demand demand) {
    return queue.coldest();
  }

  /** LRU that agrees with the host. */
  static final class Agrees extends PartPolicy {
    int proposals;

    Agrees(long capacity) {
      super(capacity);
    }

    @Override
    public void victimPart(Demand demand, @Nullable Node proposed, PartChoice choice) {
      if ((proposed == null) != (choice.entry() == null)
          || (proposed != null && !proposed.entry().partEvictable(choice.group()))) {
        throw new AssertionError("proposed " + choice.entry());
      }
      proposals += proposed == null ? 0 : 1;
    }
  }

  /** LRU that chooses at random, among them objects that it must not choose. */
  static final class Chooses extends PartPolicy {
    private final List<Node> nodes = new ArrayList<>();
    private final Random random;

    /** Objects that it chose, and answers that the host must not follow. */
    int chosen;

    int wrong;

    Chooses(long capacity, Random random) {
      super(capacity);
      this.random = random;
    }

    @Override
    protected void insert(Node node) {
      super.insert(node);
      nodes.add(node);
    }

    @Override
    protected void remove(Node node) {
      nodes.remove(node);
    }

    @Override
    public void victimPart(Demand demand, @Nullable Node proposed, PartChoice choice) {
      switch (random.nextInt(8)) {
        case 0 -> choice.none();
        case 1, 2 -> {
          wrong++;
          throw new IllegalStateException("does not know");
        }
        case 3 -> {
          wrong++;
          choice.set(nodes.get(random.nextInt(nodes.size())).entry(), -1 - random.nextInt(70));
        }
        case 4 -> chosen += choice.entry() == null ? 0 : 1;
        default -> {
          Entry entry = nodes.get(random.nextInt(nodes.size())).entry();
          int group = random.nextInt(70);
          choice.set(entry, group);
          chosen += entry.partEvictable(group) ? 1 : 0;
          wrong += entry.partEvictable(group) ? 0 : 1;
        }
      }
    }
  }
}
