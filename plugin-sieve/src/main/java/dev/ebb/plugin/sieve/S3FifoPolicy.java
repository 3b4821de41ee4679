package dev.ebb.plugin.sieve;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.Origin;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.Request;
import dev.ebb.spi.Settings;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * S3-FIFO, of Yang, Zhang, Qiu, Yue and Rashmi, <a
 * href="https://dl.acm.org/doi/10.1145/3600006.3613147">FIFO Queues are All You Need for Cache
 * Eviction</a> (SOSP '23), algorithm 1.
 *
 * <p>{@code small}, {@code main} and {@code ghosts} are the paper's S, M and G, {@code frequency}
 * its freq. New entries pass through S. Entries used often enough there go on to M; the rest are
 * evicted and remembered in G. An entry that G remembers enters M immediately.
 *
 * <p>As in the authors' own implementation, a victim searched in S is taken from S. That holds even
 * if the entries that move on make M larger than its share; the printed algorithm then evicts from
 * M. M then gives the next victims.
 *
 * <p>Sizes count entries. The access count stops at 3; a victim is found in O(1) amortised. Ghosts
 * are trimmed when a request ends, so that no block of a request is forgotten because room was made
 * for that very request. The score is the frequency.
 *
 * <p><b>Prefix streams.</b> A node that is set aside leaves its queue, and comes back at the cold
 * end. It does not count for the size of S: otherwise blocks with resident children would keep S
 * above its share, and S would lose the newest ends of prompts before M loses anything.
 */
final class S3FifoPolicy extends QueuedBlockPolicy<S3FifoPolicy.Node> {

  private static final int MAX_FREQUENCY = 3;

  private final double smallRatio;
  private final double ghostRatio;
  private final int moveToMainThreshold;
  private final EntryQueue<Node> small = new EntryQueue<>("small");
  private final EntryQueue<Node> main = new EntryQueue<>("main");
  private final GhostList ghosts;

  S3FifoPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    Settings settings = context.settings();
    smallRatio = settings.number("small-ratio", 0.10, 0.001, 0.999);
    ghostRatio = settings.number("ghost-ratio", 0.90, 0, 10);
    moveToMainThreshold = (int) settings.integer("move-to-main-threshold", 2, 1, 3);
    ghosts = new GhostList(ghostCapacity(ghostRatio));
  }

  static final class Node extends EntryQueue.Node<Node> {
    private byte frequency;
  }

  @Override
  protected void insert(Node node) {
    Entry entry = node.entry();
    boolean proven =
        ghosts.remove(entry.fingerprint())
            || (entry.origin() == Origin.HANDED_OVER && entry.accesses() > moveToMainThreshold);
    node.frequency = 0;
    (proven ? main : small).moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    if (node.frequency < MAX_FREQUENCY) {
      node.frequency++;
    }
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node node = small.order().size() >= smallTarget() ? null : mainVictim();
    if (node == null) {
      node = smallVictim();
    }
    // Looking through S may have moved all of it to M.
    if (node == null) {
      node = mainVictim();
    }
    return node;
  }

  private @Nullable Node smallVictim() {
    Node node = small.order().cold();
    while (node != null && node.frequency >= moveToMainThreshold) {
      node.frequency = 0;
      main.moveToHot(node);
      node = small.order().cold();
    }
    return node;
  }

  private @Nullable Node mainVictim() {
    Node node = main.order().cold();
    while (node != null && node.frequency > 0) {
      node.frequency--;
      main.order().moveToHot(node);
      node = main.order().cold();
    }
    return node;
  }

  @Override
  protected void evicted(Node node) {
    if (node.queue() == small) {
      ghosts.add(node.entry().fingerprint());
    }
  }

  @Override
  public void ended(Request request) {
    long limit = (long) (ghostRatio * exactCapacity());
    while (ghosts.size() > limit) {
      ghosts.removeOldest();
    }
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    ghosts.resize(ghostCapacity(ghostRatio));
  }

  @Override
  public double score(Node node) {
    return node.frequency;
  }

  @Override
  protected String describe(Node node) {
    return "in the %s queue with %d recent %s; small holds %d entries of a target of %d"
        .formatted(
            node.queue().name(),
            node.frequency,
            node.frequency == 1 ? "use" : "uses",
            small.order().size(),
            smallTarget());
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "small", (double) small.size(),
        "main", (double) main.size(),
        "ghosts", (double) ghosts.size());
  }

  private long smallTarget() {
    return Math.max(1, (long) (smallRatio * exactCapacity()));
  }

  /** Returns how many entries of the current mean size fit. */
  private double exactCapacity() {
    long held = size();
    return held == 0 ? capacityBlocks() : capacityBlocks() / ((double) heldBlocks() / held);
  }
}
