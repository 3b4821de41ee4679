package dev.ebb.host.cache.index;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.RemovalCause;
import java.util.ArrayDeque;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one request that are cached, and on which the policy has not decided yet, in the
 * order in which they were stored.
 */
public final class UndecidedBlocks {

  private record Block(int index, CacheEntry entry) {}

  private final Supplier<CacheRequest> request;
  private final @Nullable IntToLongFunction remover;
  private final ArrayDeque<Block> blocks = new ArrayDeque<>();

  /** What the policy is asked about the first block; null if it has not been asked. */
  private @Nullable AdmissionCandidate asked;

  /** Blocks that were evicted for the first one. */
  private long freed;

  private int rejectedFrom = Integer.MAX_VALUE;

  /**
   * Creates a set without blocks.
   *
   * @param request returns the request as far as it is known now, not to be changed
   * @param remover removes a block that the policy has not received, and what is cached of those
   *     after it; returns the weight of what it has removed
   */
  public UndecidedBlocks(Supplier<CacheRequest> request, IntToLongFunction remover) {
    this.request = request;
    this.remover = remover;
  }

  /** Creates a set of blocks that the policy has received. */
  UndecidedBlocks(CacheRequest ended) {
    request = () -> ended;
    remover = null;
  }

  /** Returns whether the policy has decided against a block, or one before it. */
  public boolean isRejected(int index) {
    return index >= rejectedFrom;
  }

  /** Adds a block that has been cached. */
  void add(int index, CacheEntry entry) {
    entry.undecided = this;
    blocks.addLast(new Block(index, entry));
  }

  boolean isEmpty() {
    return blocks.isEmpty();
  }

  /** Returns the first block that is still cached, to ask about; null if there is none. */
  public @Nullable AdmissionCandidate first() {
    while (!blocks.isEmpty()) {
      AdmissionCandidate candidate = candidate(blocks.getFirst());
      if (candidate != null) {
        return candidate;
      }
      decided();
    }
    return null;
  }

  /** Returns what to ask about a block; null if there is room for it, or it is gone. */
  private @Nullable AdmissionCandidate candidate(Block block) {
    if (!isCurrent(block) || freed >= block.entry.blocks) {
      return null;
    }
    if (asked == null) {
      CacheRequest known = request.get();
      // Its request may have been put in another order meanwhile.
      asked =
          known.hasKey(block.index, block.entry.keyLow)
              ? AdmissionCandidate.cached(known, block.index, block.entry)
              : null;
    }
    return asked;
  }

  private boolean isCurrent(Block block) {
    return block.entry.resident() && block.entry.undecided == this;
  }

  /** Returns the attributes of the request, which has a first block. */
  public RequestFacts facts() {
    return requireNonNull(asked).request.facts();
  }

  /** Returns the blocks that have still to be evicted for the first one. */
  public long missing() {
    return first() == null ? 0 : blocks.getFirst().entry.blocks - freed;
  }

  /** Records that blocks were evicted for the first one. */
  public void evicted(long count) {
    freed += count;
  }

  private void decided() {
    Block block = blocks.removeFirst();
    if (block.entry.undecided == this) {
      block.entry.undecided = null;
    }
    asked = null;
    freed = 0;
  }

  void admitAll() {
    while (!blocks.isEmpty()) {
      decided();
    }
  }

  /**
   * Removes the first block and those after it, the last one first, except those in use. Returns
   * the weight of what was removed.
   */
  long reject(CacheState state) {
    int index = blocks.getFirst().index;
    rejectedFrom = Math.min(rejectedFrom, index);
    long removed = remover == null ? 0 : remover.applyAsLong(index);
    for (Block block : blocks.reversed()) {
      if (block.index >= index && isCurrent(block) && block.entry.evictable()) {
        removed += block.entry.blocks;
        state.drop(block.entry, RemovalCause.NOT_ADMITTED, null);
      }
    }
    blocks.removeIf(block -> block.index >= index);
    asked = null;
    freed = 0;
    return removed;
  }
}
