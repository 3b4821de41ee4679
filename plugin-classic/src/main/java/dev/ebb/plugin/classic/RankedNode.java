package dev.ebb.plugin.classic;

import dev.ebb.spi.EntryQueue;

/** The bookkeeping for one entry of a {@link NodeHeap}. */
final class RankedNode extends EntryQueue.Node<RankedNode> {

  static final int NOT_IN_HEAP = -1;

  /** Uses, as the policy counts them. */
  int uses;

  /** When it was used last, on the policy's own clock. */
  long lastUse;

  /** Its order in the heap: the lowest is evicted first. */
  double rank;

  int heapIndex = NOT_IN_HEAP;
}
