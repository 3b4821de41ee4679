package dev.ebb.host.transfer;

import org.jspecify.annotations.Nullable;

/**
 * The result of a fetch that did not fail.
 *
 * @param status how it ended
 * @param header the value's header; null if the peer sent none
 * @param bytes the bytes received into the sink, each once
 * @param received all bytes of the value received, with those received twice or in vain
 * @param retries how many times the fetch continued on another connection
 */
public record FetchResult(
    Status status, @Nullable ValueHeader header, long bytes, long received, int retries) {

  public enum Status {
    /** All wanted bytes are in the sink, with verified checksums. */
    COMPLETE,
    /** The peer has no such value, an older one than wanted, or lost it meanwhile. */
    ABSENT,
    /** The sink did not take the value. */
    REFUSED,
    /** The value changed again and again while it was received. */
    CHANGED
  }

  public boolean complete() {
    return status == Status.COMPLETE;
  }
}
