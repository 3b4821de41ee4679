package dev.ebb.host.transfer;

import dev.ebb.host.transfer.TransferException.Reason;
import java.io.IOException;

/** A failure of a connection that its peer has caused. */
final class PeerException extends IOException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  PeerException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** The peer does not speak this protocol; another connection may work. */
  PeerException(String message) {
    this(Reason.UNREACHABLE, message);
  }

  Reason reason() {
    return reason;
  }
}
