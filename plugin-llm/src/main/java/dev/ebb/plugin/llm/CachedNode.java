package dev.ebb.plugin.llm;

import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;

/** The bookkeeping for one entry. */
@SuppressWarnings("NullAway.Init") // a policy sets entry and queue before it reads them
final class CachedNode extends NodeList.Node<CachedNode> {

  Entry entry;
  EntryQueue queue;

  /** Whether the host refused to evict the entry, and has not released it. */
  boolean aside;

  /** The request that used it last, counted by the policy. */
  long request;

  /** The time of its last use, as far as the policy has seen it. */
  long lastNanos;

  CachedNode() {}

  void renew(Entry next) {
    entry = next;
    aside = false;
    lastNanos = next.lastAccessNanos();
  }

  @SuppressWarnings("NullAway") // not read until the node serves another entry
  void forget() {
    entry = null;
  }
}
