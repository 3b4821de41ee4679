package dev.ebb.host.disk.format;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The 64 bytes before each record.
 *
 * @param type what follows
 * @param group the object group of the value; 0 for none
 * @param hash that of the key
 * @param keyLength bytes of the key
 * @param length bytes of the value; of padding, all bytes after this header
 * @param attachment bytes of the value's metadata
 * @param expiresAt wall-clock milliseconds; {@link #NEVER} for none
 * @param parent the hash of the key of the chunk before it; 0 if unknown
 * @param stamp orders the records of a key
 * @param digest that of the namespace
 * @param bodyChecksum that of what follows
 * @param sealed whether what follows is encrypted
 */
public record RecordHeader(
    Type type,
    int group,
    long hash,
    int keyLength,
    int length,
    int attachment,
    long expiresAt,
    long parent,
    long stamp,
    long digest,
    int bodyChecksum,
    boolean sealed) {

  /** The expiry of a value without one. */
  public static final long NEVER = (1L << 48) - 1;

  public static final int BYTES = 64;

  private static final short MAGIC = (short) 0xEBBD;
  private static final int CHECKED_BYTES = 60;
  private static final Type[] TYPES = Type.values();

  public enum Type {
    VALUE(0),
    /** All older records of the hash are removed. */
    TOMBSTONE(1),
    PADDING(2);

    private final byte code;

    Type(int code) {
      this.code = (byte) code;
    }

    static @Nullable Type of(byte code) {
      for (Type type : TYPES) {
        if (type.code == code) {
          return type;
        }
      }
      return null;
    }
  }

  public static RecordHeader tombstone(long hash, long stamp, boolean sealed) {
    return new RecordHeader(Type.TOMBSTONE, 0, hash, 0, 0, 0, NEVER, 0, stamp, 0, 0, sealed);
  }

  static RecordHeader padding(int bytes) {
    return new RecordHeader(Type.PADDING, 0, 0, 0, bytes - BYTES, 0, NEVER, 0, 0, 0, 0, false);
  }

  /** Returns the bytes of the record with its header, a multiple of {@link DiskFormat#UNIT}. */
  public int bytes() {
    return DiskFormat.up(BYTES + storedBytes(), DiskFormat.UNIT);
  }

  /** Returns the bytes of the body as it is in the file. */
  private int storedBytes() {
    return bodyBytes() + (sealed ? RecordFormat.SEALED_BYTES : 0);
  }

  RecordHeader masked(long hashMask, long parentMask) {
    return new RecordHeader(
        type,
        group,
        hash ^ hashMask,
        keyLength,
        length,
        attachment,
        expiresAt,
        parent ^ parentMask,
        stamp,
        digest,
        bodyChecksum,
        sealed);
  }

  int bodyBytes() {
    return keyLength + length + attachment;
  }

  /** Writes it with the seed of its generation; the body must be in place. */
  public void write(ByteBuffer to, int at, long seed) {
    writeFields(to, at);
    to.putInt(at + 56, hasBody() ? bodyChecksum(to, at, seed) : 0);
    to.putInt(at + CHECKED_BYTES, DiskFormat.checksum(seed, to, at, CHECKED_BYTES));
  }

  private boolean hasBody() {
    return type == Type.VALUE || sealed;
  }

  private int bodyChecksum(ByteBuffer of, int at, long seed) {
    return DiskFormat.checksum(sealed ? seed : seed ^ hash, of, at + BYTES, storedBytes());
  }

  /** Writes all but the checksums. */
  void writeFields(ByteBuffer to, int at) {
    to.putShort(at, MAGIC)
        .put(at + 2, type.code)
        .put(at + 3, (byte) (sealed ? 1 : 0))
        .putShort(at + 4, (short) group)
        .putShort(at + 6, (short) (expiresAt >>> 32))
        .putLong(at + 8, hash)
        .putInt(at + 16, keyLength)
        .putInt(at + 20, length)
        .putInt(at + 24, attachment)
        .putInt(at + 28, (int) expiresAt)
        .putLong(at + 32, parent)
        .putLong(at + 40, stamp)
        .putLong(at + 48, digest);
  }

  /** Reads a header; null if there is no valid one of this generation before the end. */
  public static @Nullable RecordHeader read(ByteBuffer from, int at, int end, long seed) {
    if (at + BYTES > end
        || Type.of(from.get(at + 2)) == null
        || from.getShort(at) != MAGIC
        || from.getInt(at + CHECKED_BYTES) != DiskFormat.checksum(seed, from, at, CHECKED_BYTES)) {
      return null;
    }
    return new RecordHeader(
        requireNonNull(Type.of(from.get(at + 2))),
        from.getShort(at + 4),
        from.getLong(at + 8),
        from.getInt(at + 16),
        from.getInt(at + 20),
        from.getInt(at + 24),
        (from.getShort(at + 6) & 0xFFFFL) << 32 | (from.getInt(at + 28) & 0xFFFFFFFFL),
        from.getLong(at + 32),
        from.getLong(at + 40),
        from.getLong(at + 48),
        from.getInt(at + 56),
        from.get(at + 3) != 0);
  }

  /** Returns whether what follows is what was written. */
  public boolean isIntact(ByteBuffer from, int at, int end, long seed) {
    return at + bytes() <= end && (!hasBody() || bodyChecksum == bodyChecksum(from, at, seed));
  }

  public boolean isExpired(long wallMillis) {
    return expiresAt != NEVER && expiresAt <= wallMillis;
  }
}
