package dev.ebb.plugin.predictive.lifetime;

import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;

/** The lifetime policy's record of one entry. */
final class Life extends NodeList.Node<Life> {

  /** The end of a life without a prediction. */
  static final long UNKNOWN = Long.MIN_VALUE;

  final Entry entry;

  long usedNanos;

  /** When it is predicted to become useless, or {@link #UNKNOWN}. */
  long endNanos = UNKNOWN;

  /** Its list in the {@link Timeline}, while it is in one. */
  int slot;

  /** Not to be offered; may be in a list nevertheless, where its last use put it. */
  boolean setAside;

  Life(Entry entry) {
    this.entry = entry;
    usedNanos = entry.lastAccessNanos();
  }
}
