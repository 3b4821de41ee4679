package dev.ebb.plugin.lru;

import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;

/**
 * The bookkeeping for one entry.
 *
 * @param <N> the policy's node type
 */
abstract class Candidate<N extends Candidate<N>> extends NodeList.Node<N> {

  Entry entry;
  boolean aside;

  Candidate(Entry entry) {
    this.entry = entry;
  }

  /** Lets go of an entry that left. */
  @SuppressWarnings("NullAway") // read by nobody until the node serves another entry
  void forget() {
    entry = null;
  }

  /** Serves another entry. */
  void renew(Entry next) {
    entry = next;
    aside = false;
  }

  /** When the entry was used last and how often, in words. */
  final String use(long nowNanos) {
    return "last used %.1f s ago, %d uses%s"
        .formatted(
            (nowNanos - entry.lastAccessNanos()) / 1e9,
            entry.accesses(),
            aside ? "; set aside, because it cannot leave now" : "");
  }
}
