package dev.ebb.host.transfer;

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
