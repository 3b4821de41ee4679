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
 * @param context up to 4,096 bytes that say how the value belongs to others
 */
@SuppressWarnings("ArrayRecordComponent") // Copied on each way in and out.
public record ValueHeader(
    long version, long expiresAt, long length, byte[] attachment, byte[] context) {

  /** The most bytes of an attachment. */
  public static final int MAX_ATTACHMENT = 256;

  /** The most bytes of a context. */
  public static final int MAX_CONTEXT = 4 << 10;

  private static final int FIXED = 3 * Long.BYTES + Short.BYTES;

  /** The most bytes of the body of a {@link FrameChannel#VALUE} frame. */
  static final int MAX_BODY = FIXED + MAX_ATTACHMENT + MAX_CONTEXT;

  public ValueHeader {
    if (length < 0) {
      throw new IllegalArgumentException("length '" + length + "' is negative");
    }
    check("attachment", attachment, MAX_ATTACHMENT);
    check("context", context, MAX_CONTEXT);
    attachment = attachment.clone();
    context = context.clone();
  }

  /** Creates a header of a value that belongs to no others. */
  public ValueHeader(long version, long expiresAt, long length, byte[] attachment) {
    this(version, expiresAt, length, attachment, new byte[0]);
  }

  private static void check(String what, byte[] bytes, int most) {
    if (bytes.length > most) {
      throw new IllegalArgumentException(
          "the %s has '%d' bytes; at most %d are allowed".formatted(what, bytes.length, most));
    }
  }

  byte[] body() {
    return ByteBuffer.allocate(FIXED + attachment.length + context.length)
        .putLong(version)
        .putLong(expiresAt)
        .putLong(length)
        .putShort((short) attachment.length)
        .put(attachment)
        .put(context)
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
    int context = FIXED + fields.getShort();
    if (context < FIXED || context > body.length) {
      throw new PeerException("a value's header of '%d' bytes is truncated".formatted(body.length));
    }
    return new ValueHeader(
        version,
        expiresAt,
        length,
        Arrays.copyOfRange(body, FIXED, context),
        Arrays.copyOfRange(body, context, body.length));
  }

  @Override
  public byte[] attachment() {
    return attachment.clone();
  }

  @Override
  public byte[] context() {
    return context.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ValueHeader that
        && version == that.version
        && expiresAt == that.expiresAt
        && length == that.length
        && Arrays.equals(attachment, that.attachment)
        && Arrays.equals(context, that.context);
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
