package dev.ebb.host.transfer;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The body of a {@link FrameChannel#FETCH} frame.
 *
 * @param version the smallest version wanted, or the only one if exact
 * @param offset the first byte wanted
 * @param length the most bytes wanted
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record FetchRequest(
    TransferPriority priority, boolean exact, long version, long offset, long length, byte[] key) {

  static final int FIXED = 3 * Long.BYTES;

  private static final int BACKGROUND = 1;
  private static final int EXACT = 2;

  int flags() {
    return (priority == TransferPriority.BACKGROUND ? BACKGROUND : 0) | (exact ? EXACT : 0);
  }

  byte[] body() {
    return ByteBuffer.allocate(FIXED + key.length)
        .putLong(version)
        .putLong(offset)
        .putLong(length)
        .put(key)
        .array();
  }

  static FetchRequest of(int flags, byte[] body) throws PeerException {
    if (body.length < FIXED || (flags & ~(BACKGROUND | EXACT)) != 0) {
      throw new PeerException(
          "a request has flags '%d' and '%d' bytes".formatted(flags, body.length));
    }
    ByteBuffer fields = ByteBuffer.wrap(body);
    FetchRequest request =
        new FetchRequest(
            (flags & BACKGROUND) == 0 ? TransferPriority.READ : TransferPriority.BACKGROUND,
            (flags & EXACT) != 0,
            fields.getLong(),
            fields.getLong(),
            fields.getLong(),
            Arrays.copyOfRange(body, FIXED, body.length));
    if (request.offset < 0 || request.length < 0) {
      throw new PeerException(
          "a request has offset '%d' and length '%d'".formatted(request.offset, request.length));
    }
    return request;
  }

  /** Returns how many of the bytes wanted a value has. */
  long available(long valueLength) {
    return Math.min(length, Math.max(0, valueLength - offset));
  }
}
