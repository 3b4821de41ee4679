package dev.ebb.spi;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The base of policies that keep entries in {@linkplain EntryQueue queues}. It creates and reuses
 * nodes, counts entries, and handles those that are set aside. The policy decides the queue of an
 * entry and the next victim. FIFO with a second chance for used entries, for example:
 *
 * <pre>{@code
 * final class SecondChance extends QueuedBlockPolicy<SecondChance.Node> {
 *
 *   static final class Node extends EntryQueue.Node<Node> {
 *     boolean used;
 *   }
 *
 *   private final EntryQueue<Node> queue = new EntryQueue<>("queue");
 *
 *   SecondChance(PolicyContext context) {
 *     super(context.capacityBlocks(), Node::new);
 *   }
 *
 *   @Override
 *   protected void insert(Node node) {
 *     node.used = usesBefore(node.entry()) > 0;
 *     queue.moveToHot(node);
 *   }
 *
 *   @Override
 *   public void accessed(Node node) {
 *     node.used = true;
 *   }
 *
 *   @Override
 *   protected Node choose(Demand demand) {
 *     Node node = queue.coldest();
 *     while (node != null && node.used) {
 *       node.used = false;
 *       queue.moveToHot(node);
 *       node = queue.coldest();
 *     }
 *     return node;
 *   }
 * }
 * }</pre>
 *
 * <p>An access needs no look-up and allocates nothing. In a full cache an insertion allocates
 * nothing either: nodes of removed entries serve new ones, so {@link #insert} must set every field
 * of the policy's node.
 *
 * <p>Papers state sizes in pages. {@link #capacity} converts the capacity to entries.
 *
 * @param <N> the policy's node type
 * @since 1.6.0
 */
public abstract class QueuedBlockPolicy<N extends EntryQueue.Node<N>> implements BlockPolicy<N> {

  private static final String SET_ASIDE = "set aside, because it cannot be evicted now";

  private final SpareNodes<N> spares = new SpareNodes<>();
  private final Supplier<N> nodes;
  private long capacityBlocks;
  private long heldBlocks;
  private long held;
  private long aside;

  /**
   * Creates a policy that holds nothing.
   *
   * @param capacityBlocks {@link PolicyContext#capacityBlocks}
   * @param nodes creates a node, such as {@code Node::new}
   */
  protected QueuedBlockPolicy(long capacityBlocks, Supplier<N> nodes) {
    this.capacityBlocks = capacityBlocks;
    this.nodes = nodes;
  }

  /**
   * Sets the fields of a node for a new entry, and moves the node to a queue.
   *
   * @param node a node in no queue
   */
  protected abstract void insert(N node);

  /**
   * Returns the entry to evict next. See {@link #victim} for the rules.
   *
   * @param demand what the host needs; reused by the host
   * @return a node that is not set aside, or null if there is none
   */
  protected abstract @Nullable N choose(Demand demand);

  /**
   * Called when an entry is evicted to make room, not when it expired or a client deleted it. The
   * node is still in its queue. The default does nothing.
   *
   * @param node the node of the evicted entry
   */
  protected void evicted(N node) {}

  /**
   * Called when an entry is removed for any reason, while the node is still in its queue. The
   * default does nothing. Override it if the policy keeps the node in a structure of its own.
   *
   * @param node the node of the removed entry
   */
  protected void remove(N node) {}

  /**
   * Called when an entry is set aside, while the node is still in the order. The default does
   * nothing.
   *
   * @param node the node of the refused entry
   */
  protected void setAside(N node) {}

  /**
   * Puts a released node back into the order. The default puts it at the cold end of its queue,
   * unless a use has moved it since it was refused. Override it if nodes are in lists of the
   * policy's own, not in queues.
   *
   * @param node the node of the released entry
   */
  protected void takeBack(N node) {
    if (node.list() == null) {
      node.queue().order().addCold(node);
    }
  }

  /**
   * Describes the position of an entry in the order, for {@link #explain}.
   *
   * @param node the entry's node
   * @return one line; empty by default
   */
  protected String describe(N node) {
    return "";
  }

  @Override
  public final N inserted(Entry entry) {
    N node = spares.take();
    if (node == null) {
      node = nodes.get();
    }
    EntryQueue.Node<N> own = node;
    own.entry = entry;
    own.blocks = entry.blocks();
    own.aside = false;
    held++;
    heldBlocks += own.blocks;
    insert(node);
    return node;
  }

  @Override
  public final @Nullable Entry victim(Demand demand) {
    N node = choose(demand);
    return node == null ? null : node.entry();
  }

  @Override
  public final void removed(N node, RemovalCause cause) {
    if (cause.forCapacity()) {
      evicted(node);
    }
    remove(node);
    EntryQueue.remove(node);
    EntryQueue.Node<N> own = node;
    held--;
    heldBlocks -= own.blocks;
    if (own.aside) {
      aside--;
    }
    forget(own);
    spares.give(node);
  }

  @SuppressWarnings("NullAway") // not read until the node serves another entry
  private static <N extends EntryQueue.Node<N>> void forget(EntryQueue.Node<N> node) {
    node.entry = null;
    node.queue = null;
  }

  @Override
  public final void refused(N node) {
    setAside(node);
    EntryQueue.unlink(node);
    EntryQueue.Node<N> own = node;
    own.aside = true;
    aside++;
  }

  @Override
  public final void released(N node) {
    EntryQueue.Node<N> own = node;
    own.aside = false;
    aside--;
    takeBack(node);
  }

  @Override
  public final long size() {
    return held;
  }

  @Override
  public void resized(long capacityBlocks) {
    this.capacityBlocks = capacityBlocks;
  }

  @Override
  public final String explain(N node) {
    return explain(describe(node), node.isSetAside());
  }

  /** Adds to a description that an entry is set aside, if it is. */
  static String explain(String description, boolean aside) {
    if (!aside) {
      return description;
    }
    return description.isEmpty() ? SET_ASIDE : description + "; " + SET_ASIDE;
  }

  /**
   * Returns the current capacity.
   *
   * @return blocks, at least 1
   */
  protected final long capacityBlocks() {
    return capacityBlocks;
  }

  /**
   * Returns the sum of {@link EntryQueue.Node#blocks} of all entries.
   *
   * @return blocks
   */
  protected final long heldBlocks() {
    return heldBlocks;
  }

  /**
   * Returns how many entries are set aside.
   *
   * @return 0 to {@link #size}
   */
  protected final long setAsideCount() {
    return aside;
  }

  /**
   * Returns how many entries of the current mean size fit into the capacity.
   *
   * @return at least 1
   */
  protected final long capacity() {
    return held == 0
        ? capacityBlocks
        : Math.max(1, Math.round(capacityBlocks / ((double) heldBlocks / held)));
  }

  /**
   * Returns how often an entry was used again before this policy took over.
   *
   * @param entry an entry that is being inserted
   * @return 0 for a new entry, even if it was used again already: then {@link #accessed} follows
   */
  protected static int usesBefore(Entry entry) {
    return entry.origin() == Origin.HANDED_OVER ? entry.accesses() - 1 : 0;
  }

  /**
   * Returns the capacity of a ghost list that {@link #trim} keeps at a share of the capacity. It
   * has room for the ghosts that one request adds.
   *
   * @param ratio the share
   * @return ghosts
   */
  protected final long ghostCapacity(double ratio) {
    return Math.min(
        GhostList.MAX_CAPACITY, (long) Math.ceil(ratio * (double) capacityBlocks * 1.25) + 1);
  }

  /**
   * Forgets the oldest ghosts beyond a share of the capacity. Called in {@link #ended}, so that no
   * block of a request is forgotten because room was made for that very request.
   *
   * @param ghosts the list to trim
   * @param ratio the share
   */
  protected final void trim(GhostList ghosts, double ratio) {
    long limit = (long) (ratio * (double) capacity());
    while (ghosts.size() > limit) {
      ghosts.removeOldest();
    }
  }
}
