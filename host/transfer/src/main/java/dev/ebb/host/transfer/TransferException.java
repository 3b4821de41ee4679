package dev.ebb.host.transfer;

import org.jspecify.annotations.Nullable;

/** A failed fetch or call. The message names the peer, and the key of a fetch. */
public final class TransferException extends Exception {

  private static final long serialVersionUID = 1L;

  public enum Reason {
    /** No connection, or it broke; another peer or a later attempt may work. */
    UNREACHABLE,
    /** The peer sent nothing for too long. */
    SILENT,
    /** The peer has another secret or another version of the protocol. */
    NOT_ACCEPTED,
    /** Bytes arrived damaged, more than once. */
    DAMAGED,
    /** The time limit passed. */
    TIMED_OUT,
    /** The peer reported an error. */
    PEER_FAILED,
    /** This client is closed. */
    CLOSED
  }

  private final Reason reason;

  TransferException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
