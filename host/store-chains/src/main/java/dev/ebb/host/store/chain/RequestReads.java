package dev.ebb.host.store.chain;

import dev.ebb.host.store.key.ObjectKey;
import org.jspecify.annotations.Nullable;

/** Finds the requests that chunks are read for. */
public final class RequestReads {

  private final Chains chains;

  RequestReads(Chains chains) {
    this.chains = chains;
  }

  /** Records that memory did not have a chunk that a client has read. */
  public void elsewhere(@Nullable ChainConnection by, ObjectKey key, boolean disk) {
    ObservedRequest of = of(by, key);
    if (of != null) {
      of.diskReads += disk ? 1 : 0;
      of.peerReads += disk ? 0 : 1;
    }
  }

  /** Returns the trace context of the request that a chunk is read for; null if there is none. */
  public @Nullable String trace(ChainConnection by, ObjectKey key) {
    ObservedRequest of = of(by, key);
    return of == null ? null : of.trace(chains.requests, chains.time.nanos());
  }

  /** Returns the request that a chunk is read for; null if none is. */
  public @Nullable ObservedRequest of(@Nullable ChainConnection by, ObjectKey key) {
    if (by == null) {
      return null;
    }
    ObservedRequest of = by.reading;
    if (of == null || of.over || of.chains != chains || !of.hasFound(key.entryLow())) {
      of = chains.servedBy(by);
      for (ObservedRequest stated : by.stated()) {
        of = stated.chains == chains && stated.hasFound(key.entryLow()) ? stated : of;
      }
      by.reading = of != null && of.stated ? of : null;
    }
    return of;
  }
}
