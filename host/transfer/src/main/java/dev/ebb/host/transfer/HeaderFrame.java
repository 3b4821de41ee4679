package dev.ebb.host.transfer;

import dev.ebb.host.transfer.FrameChannel.FrameException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The body of a {@link FrameChannel#VALUE} frame. */
final class HeaderFrame {

  private static final int FIXED = 3 * Long.BYTES;

  /** The most bytes of a body. */
  static final int MAX = FIXED + ValueHeader.MAX_ATTACHMENT;

  private HeaderFrame() {}

  static byte[] body(ValueHeader header) {
    byte[] attachment = header.attachment();
    return ByteBuffer.allocate(FIXED + attachment.length)
        .putLong(header.version())
        .putLong(header.expiresAt())
        .putLong(header.length())
        .put(attachment)
        .array();
  }

  static ValueHeader of(byte[] body) throws FrameException {
    if (body.length < FIXED) {
      throw new FrameException("a value's header has '%d' bytes".formatted(body.length));
    }
    ByteBuffer fields = ByteBuffer.wrap(body);
    long version = fields.getLong();
    long expiresAt = fields.getLong();
    long length = fields.getLong();
    if (length < 0) {
      throw new FrameException("a value has the length '%d'".formatted(length));
    }
    return new ValueHeader(
        version, expiresAt, length, Arrays.copyOfRange(body, FIXED, body.length));
  }
}
