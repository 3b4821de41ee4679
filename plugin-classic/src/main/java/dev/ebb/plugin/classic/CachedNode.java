package dev.ebb.plugin.classic;

import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;

/** The bookkeeping for one entry. Each policy uses the fields that it needs. */
@SuppressWarnings("NullAway.Init") // a policy sets entry and queue before it reads them
final class CachedNode extends NodeList.Node<CachedNode> {

  static final int NOT_IN_HEAP = -1;

  Entry entry;
  EntryQueue queue;
  int blocks;

  /** Whether the host refused to evict the entry, and has not released it. */
  boolean aside;

  /** Uses, as the policy counts them. */
  int uses;

  /** When it was used last, on the policy's own clock. */
  long lastUse;

  /** Its order in a heap: the lowest is evicted first. */
  double rank;

  int heapIndex = NOT_IN_HEAP;

  CachedNode() {}

  void renew(Entry next) {
    entry = next;
    blocks = next.blocks();
    aside = false;
    uses = 0;
    lastUse = 0;
    rank = 0;
  }

  @SuppressWarnings("NullAway") // not read until the node serves another entry
  void forget() {
    entry = null;
  }

  /** Describes the state of being set aside, or nothing. */
  String asideText() {
    return aside ? "; set aside, because it cannot leave now" : "";
  }
}
