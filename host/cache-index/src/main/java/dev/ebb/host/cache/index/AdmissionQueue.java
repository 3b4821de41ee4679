package dev.ebb.host.cache.index;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Requests whose blocks were cached before the policy decided on them, the oldest first. Empty if
 * the policy admits all.
 */
public final class AdmissionQueue {

  private final CacheState state;
  private final ArrayDeque<UndecidedBlocks> queue = new ArrayDeque<>();

  AdmissionQueue(CacheState state) {
    this.state = state;
  }

  /** Sets whether the policy decides on blocks that are cached already. */
  public void activate(boolean decides) {
    state.decidesOnCached = decides;
    if (!decides) {
      admitAll();
    }
  }

  public void add(UndecidedBlocks request, int index, CacheEntry entry) {
    if (request.isEmpty()) {
      queue.addLast(request);
    }
    request.add(index, entry);
  }

  /** Adds the blocks of a request that has ended; older entries are not new. */
  public void add(CacheRequest request, long newFrom) {
    if (request.admitted() == 0) {
      return;
    }
    UndecidedBlocks undecided = new UndecidedBlocks(request.frozen());
    for (int i = request.matched; i < request.held; i++) {
      if (request.path[i].createdTick >= newFrom) {
        add(undecided, i, request.path[i]);
      }
    }
  }

  public void add(CacheEntry entry) {
    CacheRequest alone =
        AdmissionCandidate.object(entry.lastUse, entry.keyLow, entry.keyHigh, entry.blocks);
    add(new UndecidedBlocks(alone), 0, entry);
  }

  /** Removes the next block, and those after it, because the policy has decided against it. */
  public void reject(UndecidedBlocks undecided) {
    state.counters.rejected += undecided.reject(state);
  }

  /** Admits all blocks, because they fit. */
  public void admitAll() {
    queue.forEach(UndecidedBlocks::admitAll);
    queue.clear();
  }

  /** Returns the next blocks to decide on; null if there are none. */
  public @Nullable UndecidedBlocks next() {
    UndecidedBlocks first = queue.peekFirst();
    while (first != null && first.first() == null) {
      queue.removeFirst();
      first = queue.peekFirst();
    }
    return first;
  }
}
