package dev.ebb.host.cluster.directory;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Directory entries as bytes, most significant first: a byte of format and flags, and the version;
 * unless deleted, the size, the checksum, the expiry if there is one, the number of holders, their
 * ids, and a bit for each that is set for a replica; if there are stale nodes, their number and
 * ids.
 */
final class EntryCodec {

  private static final int FORMAT = 0x10;
  private static final int FORMAT_MASK = 0xF0;
  private static final int IMMUTABLE = 1;
  private static final int DELETED = 2;
  private static final int EXPIRES = 4;
  private static final int STALE = 8;

  private EntryCodec() {}

  static byte[] encode(DirectoryEntry entry) {
    int holders = entry.holders().size();
    ByteBuffer out =
        ByteBuffer.allocate(
            1
                + Long.BYTES
                + Integer.BYTES
                + 4 * Varint.MAX_BYTES
                + holders * 4
                + bitmap(holders)
                + entry.stale().size() * 4);
    boolean expires = entry.expiresAt() != Long.MAX_VALUE;
    out.put(
        (byte)
            (FORMAT
                | (entry.immutable() ? IMMUTABLE : 0)
                | (entry.deleted() ? DELETED : 0)
                | (expires ? EXPIRES : 0)
                | (entry.stale().isEmpty() ? 0 : STALE)));
    out.putLong(entry.version());
    if (!entry.deleted()) {
      Varint.put(out, entry.bytes());
      out.putInt(entry.crc32c());
      if (expires) {
        Varint.put(out, entry.expiresAt());
      }
      putHolders(out, entry.holders());
    }
    if (!entry.stale().isEmpty()) {
      Varint.put(out, entry.stale().size());
      entry.stale().forEach(out::putInt);
    }
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  static DirectoryEntry decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      DirectoryEntry entry = read(in);
      if (in.hasRemaining()) {
        throw new IllegalArgumentException("%d bytes too many".formatted(in.remaining()));
      }
      return entry;
    } catch (BufferUnderflowException truncated) {
      throw corrupt(bytes, "it is too short", truncated);
    } catch (IllegalArgumentException wrong) {
      throw corrupt(bytes, String.valueOf(wrong.getMessage()), wrong);
    }
  }

  private static DirectoryEntry read(ByteBuffer in) {
    int head = in.get();
    int known = FORMAT | IMMUTABLE | DELETED | EXPIRES | STALE;
    if ((head & FORMAT_MASK) != FORMAT || (head & ~known) != 0) {
      throw new IllegalArgumentException(
          "its format '0x%02x' is not known; run the same version of Ebb on all nodes"
              .formatted(head & 0xFF));
    }
    long version = in.getLong();
    if ((head & DELETED) != 0) {
      if ((head & ~STALE) != (FORMAT | DELETED)) {
        throw new IllegalArgumentException("a deleted entry has no other flags");
      }
      return DirectoryEntry.tombstone(version, getStale(in, head));
    }
    long size = Varint.get(in);
    int crc32c = in.getInt();
    long expiresAt = (head & EXPIRES) == 0 ? Long.MAX_VALUE : Varint.get(in);
    boolean immutable = (head & IMMUTABLE) != 0;
    List<Holder> holders = getHolders(in);
    return new DirectoryEntry(
        version, size, crc32c, expiresAt, immutable, false, holders, getStale(in, head));
  }

  private static List<Integer> getStale(ByteBuffer in, int head) {
    if ((head & STALE) == 0) {
      return List.of();
    }
    List<Integer> stale = new ArrayList<>();
    for (int left = Varint.count(in, Integer.BYTES); left > 0; left--) {
      stale.add(in.getInt());
    }
    return stale;
  }

  private static void putHolders(ByteBuffer out, List<Holder> holders) {
    Varint.put(out, holders.size());
    byte[] replicas = new byte[bitmap(holders.size())];
    for (int i = 0; i < holders.size(); i++) {
      out.putInt(holders.get(i).node());
      if (holders.get(i).replica()) {
        replicas[i / 8] |= (byte) (1 << i % 8);
      }
    }
    out.put(replicas);
  }

  private static List<Holder> getHolders(ByteBuffer in) {
    int[] nodes = new int[Varint.count(in, Integer.BYTES)];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = in.getInt();
    }
    byte[] replicas = new byte[bitmap(nodes.length)];
    in.get(replicas);
    List<Holder> holders = new ArrayList<>(nodes.length);
    for (int i = 0; i < nodes.length; i++) {
      holders.add(new Holder(nodes[i], (replicas[i / 8] >> i % 8 & 1) != 0));
    }
    return holders;
  }

  private static int bitmap(int bits) {
    return (bits + 7) / 8;
  }

  private static IllegalArgumentException corrupt(byte[] bytes, String why, Exception cause) {
    return new IllegalArgumentException(
        "directory entry '%s' is corrupt: %s".formatted(HexFormat.of().formatHex(bytes), why),
        cause);
  }
}
