package dev.ebb.host.transfer;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The description of a value, sent before its bytes.
 *
 * @param version identifies the bytes: two nodes with one version have equal bytes
 * @param expiresAt when it expires, in milliseconds since 1970; {@link Long#MAX_VALUE} for never
 * @param length its bytes
 * @param attachment up to 256 bytes that belong to the value
 */
@SuppressWarnings("ArrayRecordComponent") // Copied on each way in and out.
public record ValueHeader(long version, long expiresAt, long length, byte[] attachment) {

  /** The most bytes of an attachment. */
  public static final int MAX_ATTACHMENT = 256;

  private static final int FIXED = 3 * Long.BYTES;

  /** The most bytes of the body of a {@link FrameChannel#VALUE} frame. */
  static final int MAX_BODY = FIXED + MAX_ATTACHMENT;

  public ValueHeader {
    if (length < 0) {
      throw new IllegalArgumentException("length '" + length + "' is negative");
    }
    if (attachment.length > MAX_ATTACHMENT) {
      throw new IllegalArgumentException(
          "the attachment has '%d' bytes; at most %d are allowed"
              .formatted(attachment.length, MAX_ATTACHMENT));
    }
    attachment = attachment.clone();
  }

  /** Returns the body of a {@link FrameChannel#VALUE} frame. */
  byte[] body() {
    return ByteBuffer.allocate(FIXED + attachment.length)
        .putLong(version)
        .putLong(expiresAt)
        .putLong(length)
        .put(attachment)
        .array();
  }

  static ValueHeader of(byte[] body) throws PeerException {
    if (body.length < FIXED) {
      throw new PeerException("a value's header has '%d' bytes".formatted(body.length));
    }
    ByteBuffer fields = ByteBuffer.wrap(body);
    long version = fields.getLong();
    long expiresAt = fields.getLong();
    long length = fields.getLong();
    if (length < 0) {
      throw new PeerException("a value has the length '%d'".formatted(length));
    }
    return new ValueHeader(
        version, expiresAt, length, Arrays.copyOfRange(body, FIXED, body.length));
  }

  @Override
  public byte[] attachment() {
    return attachment.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ValueHeader that
        && version == that.version
        && expiresAt == that.expiresAt
        && length == that.length
        && Arrays.equals(attachment, that.attachment);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(version) * 31 + Long.hashCode(length);
  }

  @Override
  public String toString() {
    return "version %d, %d bytes".formatted(version, length);
  }
}
