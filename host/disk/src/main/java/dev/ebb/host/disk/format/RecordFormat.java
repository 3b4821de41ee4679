package dev.ebb.host.disk.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads records, encrypted or not.
 *
 * <p>An encrypted record has a nonce after its header, then key, value and attachment, and a tag.
 * The tag includes the header and the seed of the generation, so that no record can be put together
 * from others, or be moved. In the header, the hashes of keys are masked, because short keys could
 * be found from them; lengths and times are not secret. The checksums are those of the stored
 * bytes: damage is found, and counted, without the key.
 */
public final class RecordFormat {

  /** What an encrypted record has besides. */
  public static final int SEALED_BYTES = ExtendedGcm.NONCE_BYTES + ExtendedGcm.TAG_BYTES;

  /** The bytes of a header before its checksums. */
  private static final int BOUND_BYTES = 56;

  private static final byte[] NONE = {};

  private final @Nullable ExtendedGcm records;
  private final @Nullable ExtendedGcm masks;

  /** Used for one record at a time, under the lock of the open regions. */
  private byte[] plain = NONE;

  private byte[] sealed = NONE;

  /** Creates a format; without a key for records that are not encrypted, and headers of others. */
  public RecordFormat(@Nullable DiskKey key) {
    records = key == null ? null : new ExtendedGcm(key.derived("records", NONE));
    masks = key == null ? null : new ExtendedGcm(key.derived("hashes", NONE));
  }

  public boolean seals() {
    return records != null;
  }

  /** Writes a record; the caller has the lock of the open regions. */
  void write(RecordHeader header, ByteBuffer region, int at, long seed, RegionBuffer.Body body) {
    int length = header.bodyBytes();
    if (records == null || masks == null || !header.sealed()) {
      body.copyTo(region.slice(at + RecordHeader.BYTES, length).order(ByteOrder.LITTLE_ENDIAN));
      header.write(region, at, seed);
      return;
    }
    plain = atLeast(plain, length);
    sealed = atLeast(sealed, length + ExtendedGcm.TAG_BYTES);
    body.copyTo(ByteBuffer.wrap(plain, 0, length));
    byte[] nonce = ExtendedGcm.newNonce();
    RecordHeader masked = masked(header, nonce, masks);
    masked.writeFields(region, at);
    records.seal(nonce, bound(region, at, seed), plain, length, sealed);
    int start = at + RecordHeader.BYTES;
    region.put(start, nonce);
    region.put(start + nonce.length, sealed, 0, length + ExtendedGcm.TAG_BYTES);
    masked.write(region, at, seed);
  }

  /** Returns the header of a record of a generation; null if there is no valid one. */
  public @Nullable RecordHeader read(ByteBuffer from, int at, int end, long seed) {
    RecordHeader header = RecordHeader.read(from, at, end, seed);
    if (header == null || masks == null || header.type() == RecordHeader.Type.PADDING) {
      return header;
    }
    if (!header.sealed() || at + RecordHeader.BYTES + ExtendedGcm.NONCE_BYTES > end) {
      return null;
    }
    return masked(header, nonce(from, at), masks);
  }

  /**
   * Returns the body of a record, decrypted if necessary; null if it is not the one that was
   * written.
   */
  public @Nullable ByteBuffer body(
      RecordHeader header, ByteBuffer from, int at, int end, long seed, ReadBuffer memory) {
    if (!header.isIntact(from, at, end, seed)) {
      return null;
    }
    int length = header.bodyBytes();
    int start = at + RecordHeader.BYTES;
    if (records == null) {
      return from.slice(start, length);
    }
    byte[] encrypted = memory.encrypted(length + ExtendedGcm.TAG_BYTES);
    byte[] body = memory.decrypted(length);
    from.get(start + ExtendedGcm.NONCE_BYTES, encrypted, 0, length + ExtendedGcm.TAG_BYTES);
    return records.open(
            nonce(from, at), bound(from, at, seed), encrypted, length + ExtendedGcm.TAG_BYTES, body)
        ? ByteBuffer.wrap(body, 0, length).slice()
        : null;
  }

  /** Returns the key of a record without checking its body; null if it is not complete. */
  public byte @Nullable [] key(RecordHeader header, ByteBuffer from, int at) {
    int start = at + RecordHeader.BYTES + (records == null ? 0 : ExtendedGcm.NONCE_BYTES);
    if (header.keyLength() < 0 || start + header.keyLength() > from.capacity()) {
      return null;
    }
    byte[] key = new byte[header.keyLength()];
    from.get(start, key);
    return records == null ? key : records.start(nonce(from, at), key);
  }

  /** Encrypts bytes in place; returns nonce and tag, or zeros. */
  byte[] seal(ByteBuffer bytes, int from, int length, long seed) {
    byte[] end = new byte[SEALED_BYTES];
    if (records != null) {
      byte[] nonce = ExtendedGcm.newNonce();
      byte[] in = new byte[length];
      byte[] out = new byte[length + ExtendedGcm.TAG_BYTES];
      bytes.get(from, in);
      records.seal(nonce, bound(seed, length), in, length, out);
      bytes.put(from, out, 0, length);
      System.arraycopy(nonce, 0, end, 0, nonce.length);
      System.arraycopy(out, length, end, nonce.length, ExtendedGcm.TAG_BYTES);
    }
    return end;
  }

  /** Decrypts bytes in place; returns whether they are those that were encrypted. */
  boolean open(ByteBuffer bytes, int from, int length, long seed, byte[] end) {
    if (records == null) {
      return true;
    }
    byte[] in = new byte[length + ExtendedGcm.TAG_BYTES];
    byte[] out = new byte[length];
    bytes.get(from, in, 0, length);
    System.arraycopy(end, ExtendedGcm.NONCE_BYTES, in, length, ExtendedGcm.TAG_BYTES);
    boolean right =
        records.open(
            java.util.Arrays.copyOf(end, ExtendedGcm.NONCE_BYTES),
            bound(seed, length),
            in,
            in.length,
            out);
    bytes.put(from, out);
    return right;
  }

  private static byte[] nonce(ByteBuffer from, int at) {
    byte[] nonce = new byte[ExtendedGcm.NONCE_BYTES];
    from.get(at + RecordHeader.BYTES, nonce);
    return nonce;
  }

  private static byte[] bound(ByteBuffer from, int at, long seed) {
    byte[] bound = new byte[BOUND_BYTES + Long.BYTES];
    from.get(at, bound, 0, BOUND_BYTES);
    ByteBuffer.wrap(bound).putLong(BOUND_BYTES, seed);
    return bound;
  }

  private static byte[] bound(long seed, int length) {
    return ByteBuffer.allocate(Long.BYTES + Integer.BYTES).putLong(seed).putInt(length).array();
  }

  /** Masks the hashes of a header, or undoes that. */
  private static RecordHeader masked(RecordHeader header, byte[] nonce, ExtendedGcm masks) {
    ByteBuffer mask = ByteBuffer.wrap(masks.block(nonce, 2 * Long.BYTES));
    return header.masked(mask.getLong(), mask.getLong());
  }

  private static byte[] atLeast(byte[] bytes, int length) {
    return bytes.length >= length ? bytes : new byte[Math.max(length, 2 * bytes.length)];
  }
}
