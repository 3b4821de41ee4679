package dev.ebb.host.store.chain;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.spi.NodeList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What chains need of a value, and its place in the chain of a prompt, which only this package
 * writes. Guarded by the partition's lock.
 */
public abstract class ChainedValue extends NodeList.Node<ChainedValue> {

  public final ObjectKey key;
  public final long length;

  /** Null until it is visible, once it has been removed, and for an attachment or a shard. */
  protected @Nullable CacheEntry entry;

  /** The request that made it; null once the policy has received it, and if there is none. */
  protected @Nullable ObservedRequest request;

  /** How often it was read, lately: it starts again after 255. */
  protected byte reads;

  /** Requests that found it last and have not been completed. */
  int holds;

  /** The value before it in its chain, if that is resident. */
  @Nullable ChainedValue parent;

  /** The key of the value before it, which is missing; none if there is none. */
  long predecessor = Predecessors.NONE;

  /**
   * The keys of chunks directly before it that are not resident, as far as known, nearest first.
   */
  List<ObjectKey> absent = List.of();

  @Nullable ChainedValue firstChild;

  // Siblings: values with the same (possibly absent) parent.
  @Nullable ChainedValue nextSibling;
  @Nullable ChainedValue previousSibling;

  /** The values of its request that follow the same parent in an order not known yet. */
  @Nullable List<ChainedValue> group;

  /** Nothing before it is known to be missing. */
  boolean reachable = true;

  protected ChainedValue(ObjectKey key, long length) {
    this.key = key;
    this.length = length;
  }

  public boolean isReachable() {
    return reachable;
  }

  /** Returns the keys of the chunks before it, resident or not, as far as known, nearest first. */
  List<ObjectKey> before(int most) {
    List<ObjectKey> before = new ArrayList<>();
    for (ChainedValue on = this; on != null && before.size() < most; on = on.parent) {
      if (on != this) {
        before.add(on.key);
      }
      before.addAll(on.absent);
    }
    return List.copyOf(before.subList(0, Math.min(most, before.size())));
  }

  public List<ObjectKey> before() {
    return before(ChunkContext.MOST_BEFORE);
  }

  /** Returns the key of the chunk before it, resident or not; null if it is not known. */
  public @Nullable ObjectKey parentKey() {
    return parent != null ? parent.key : absent.isEmpty() ? null : absent.getFirst();
  }

  /** Records which chunks, which may be gone, are before it, as it has another one's entry now. */
  public void follows(List<ObjectKey> before) {
    absent = parent == null ? before : absent;
  }

  /** Returns the values of its chunk: itself, unless its bytes were evicted, and its shards. */
  protected abstract List<? extends ChainedValue> objects();

  /** Returns the weight of a visible value with its shards, in the pool's units. */
  protected abstract int weight();
}
