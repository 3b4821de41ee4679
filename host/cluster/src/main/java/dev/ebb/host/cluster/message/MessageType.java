package dev.ebb.host.cluster.message;

import java.util.Arrays;
import java.util.Optional;

public enum MessageType {
  /** The receiver should fetch replicas from the sender. */
  OFFER(0),
  /** The sender has replicas that the receiver offered, and the directory knows them. */
  STORED(1),
  /** The sender could not make replicas that the receiver offered. */
  NOT_STORED(2),
  /** The metadata of chunks whose bytes the receiver has. */
  ATTACH(3),
  /** Copies up to a version are invalid, or not wanted. */
  DROP(4),
  /** The directory may be wrong about the receiver's copies. */
  CHECK(5),
  /** The receiver should become the primary node; answers the bytes of each, -1 for a failure. */
  MOVE(6),
  CLEAR(7),
  /** The receiver should hand over its values. */
  DRAIN(8),
  /** The receiver should take values again. */
  ACTIVATE(9),
  /**
   * Answers for each value a byte, 1 if the receiver has a valid copy that stays: the sender drops
   * its own.
   */
  HELD(10),
  /** A client deleted values, up to a version. */
  DELETE(11),
  /** The receiver should store values that the sender evicts. */
  TAKE(12),
  /** The sender has stored values that the receiver evicts. */
  TAKEN(13),
  /** The sender has no room for values that the receiver evicts. */
  NOT_TAKEN(14),
  /** The sender has replicas that the receiver offered; the directory may not know them yet. */
  RECEIVED(15),
  /** The receiver should fetch copies from the sender as far as it has free memory for them. */
  RESTORE(16),
  /** Clients of the sender have replaced values whose keys do not name their content. */
  REPLACED(17),
  /** Answers which values the receiver has on its disk. */
  ON_DISK(18),
  /** Answers which values have changed since a version. */
  CHANGES(19);

  private final int code;

  MessageType(int code) {
    this.code = code;
  }

  /** Returns its number in messages, which never changes. */
  int code() {
    return code;
  }

  static Optional<MessageType> of(int code) {
    return Arrays.stream(values()).filter(type -> type.code == code).findFirst();
  }
}
