package dev.ebb.host.store;

import org.jspecify.annotations.Nullable;

/**
 * A client, as far as its connections are known to be of one: one of them stored the chunk that a
 * lookup on another one had missed. Guarded by the lock of its partition.
 */
final class ChainClient {

  private final MissedKeys owner;

  /** The client that this one proved to be; null while it is on its own. */
  private @Nullable ChainClient same;

  /** What it stores values for, if it uses several connections. */
  @Nullable ObservedRequest storing;

  /** It has several connections: what each looks up does not show what it stores. */
  boolean pooled;

  ChainClient(MissedKeys owner) {
    this.owner = owner;
  }

  /** Returns whether it is one of a partition's clients. */
  boolean isOf(MissedKeys keys) {
    return owner == keys;
  }

  /** Returns the client that this one and others have proved to be. */
  ChainClient known() {
    ChainClient last = this;
    while (last.same != null) {
      last = last.same;
    }
    // Later searches are short.
    if (same != null) {
      same = last;
    }
    return last;
  }

  /** Records that this client and another one are the same. */
  void join(ChainClient other) {
    ChainClient into = known();
    ChainClient from = other.known();
    if (into != from) {
      from.same = into;
      from.storing = null;
      into.pooled = true;
    }
  }
}
