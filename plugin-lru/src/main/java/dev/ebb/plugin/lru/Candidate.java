package dev.ebb.plugin.lru;

import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;

/** The bookkeeping for one entry. */
abstract class Candidate<N extends Candidate<N>> extends NodeList.Node<N> {

  Entry entry;
  boolean aside;

  Candidate(Entry entry) {
    this.entry = entry;
  }

  @SuppressWarnings("NullAway") // not read until the node serves another entry
  void forget() {
    entry = null;
  }

  void renew(Entry next) {
    entry = next;
    aside = false;
  }

  /** Describes when the entry was used last and how often. */
  final String use(long nowNanos) {
    return "last used %.1f s ago, %d %s%s"
        .formatted(
            (nowNanos - entry.lastAccessNanos()) / 1e9,
            entry.accesses(),
            entry.accesses() == 1 ? "use" : "uses",
            aside ? "; set aside, because it cannot leave now" : "");
  }
}
