package dev.ebb.plugin.predictive;

import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;

/** What the lifetime policy keeps for one entry. */
final class Life extends NodeList.Node<Life> {

  /** The end of a life that nobody has foretold. */
  static final long UNKNOWN = Long.MIN_VALUE;

  final Entry entry;

  /** When it was used last. */
  long usedNanos;

  /** When it is foretold to be of no more use, or {@link #UNKNOWN}. */
  long endNanos = UNKNOWN;

  /** Its list in the {@link Timeline}, while it is in one. */
  int slot;

  /** Not to be offered; may stand in a list all the same, where its last use put it. */
  boolean setAside;

  Life(Entry entry) {
    this.entry = entry;
    usedNanos = entry.lastAccessNanos();
  }
}
