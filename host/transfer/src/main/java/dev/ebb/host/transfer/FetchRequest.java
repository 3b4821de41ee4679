package dev.ebb.host.transfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The body of a {@link FrameChannel#FETCH} frame.
 *
 * @param version the smallest version wanted, or the only one if exact
 * @param offset the first byte wanted
 * @param length the most bytes wanted
 * @param traceparent the trace context of a client's request; null without one
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record FetchRequest(
    TransferPriority priority,
    boolean exact,
    long version,
    long offset,
    long length,
    byte[] key,
    @Nullable String traceparent) {

  private static final int FIXED = 3 * Long.BYTES;

  private static final int BACKGROUND = 1;
  private static final int EXACT = 2;
  private static final int TRACED = 4;

  /** The longest trace context; W3C's first version has 55 characters. */
  static final int MAX_TRACEPARENT = 255;

  static final int MAX_BODY = FIXED + 1 + MAX_TRACEPARENT + TransferOptions.MAX_KEY;

  int flags() {
    return (priority == TransferPriority.BACKGROUND ? BACKGROUND : 0)
        | (exact ? EXACT : 0)
        | (traceparent == null ? 0 : TRACED);
  }

  byte[] body() {
    byte[] context =
        traceparent == null ? new byte[0] : traceparent.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer body =
        ByteBuffer.allocate(FIXED + (traceparent == null ? 0 : 1 + context.length) + key.length)
            .putLong(version)
            .putLong(offset)
            .putLong(length);
    if (traceparent != null) {
      body.put((byte) context.length).put(context);
    }
    return body.put(key).array();
  }

  static FetchRequest of(int flags, byte[] body) throws PeerException {
    boolean traced = (flags & TRACED) != 0;
    if (body.length < FIXED + (traced ? 1 : 0) || (flags & ~(BACKGROUND | EXACT | TRACED)) != 0) {
      throw new PeerException(
          "a request has flags '%d' and '%d' bytes".formatted(flags, body.length));
    }
    int key = FIXED + (traced ? 1 + Byte.toUnsignedInt(body[FIXED]) : 0);
    if (key > body.length) {
      throw new PeerException(
          "a trace context ends at byte '%d' of '%d'".formatted(key, body.length));
    }
    ByteBuffer fields = ByteBuffer.wrap(body);
    FetchRequest request =
        new FetchRequest(
            (flags & BACKGROUND) == 0 ? TransferPriority.READ : TransferPriority.BACKGROUND,
            (flags & EXACT) != 0,
            fields.getLong(),
            fields.getLong(),
            fields.getLong(),
            Arrays.copyOfRange(body, key, body.length),
            traced
                ? new String(body, FIXED + 1, key - FIXED - 1, StandardCharsets.US_ASCII)
                : null);
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
