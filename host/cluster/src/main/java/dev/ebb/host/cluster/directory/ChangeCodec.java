package dev.ebb.host.cluster.directory;

import dev.ebb.host.cluster.directory.Change.Deleted;
import dev.ebb.host.cluster.directory.Change.Held;
import dev.ebb.host.cluster.directory.Change.Merged;
import dev.ebb.host.cluster.directory.Change.Released;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

/** Changes as bytes, from the node where they happen to the owners of the entries. */
public final class ChangeCodec {

  private static final byte HELD = 1;
  private static final byte RELEASED = 2;
  private static final byte DELETED = 3;
  private static final byte MERGED = 4;

  private static final int REPLICA = 1;
  private static final int IMMUTABLE = 2;

  private ChangeCodec() {}

  public static byte[] encode(Change change) {
    return switch (change) {
      case Held held -> {
        ByteBuffer out = buffer(1 + 1 + 4 + 8 + 10 + 4 + 8, held.gone());
        out.put(HELD);
        out.put(
            (byte) ((held.holder().replica() ? REPLICA : 0) | (held.immutable() ? IMMUTABLE : 0)));
        out.putInt(held.holder().node()).putLong(held.version());
        Varint.put(out, held.bytes());
        out.putInt(held.crc32c()).putLong(held.expiresAt());
        yield finish(out, held.gone());
      }
      case Released released -> {
        ByteBuffer out = buffer(1 + 4 + 1, released.gone());
        out.put(RELEASED).putInt(released.node()).put((byte) (released.keepReplicas() ? 1 : 0));
        yield finish(out, released.gone());
      }
      case Deleted deleted ->
          ByteBuffer.allocate(1 + Long.BYTES).put(DELETED).putLong(deleted.version()).array();
      case Merged merged -> {
        byte[] entry = merged.entry().encode();
        yield ByteBuffer.allocate(1 + entry.length).put(MERGED).put(entry).array();
      }
    };
  }

  /** Fails with an {@link IllegalArgumentException} if the bytes are not a change. */
  public static Change decode(byte[] bytes) {
    try {
      return read(ByteBuffer.wrap(bytes));
    } catch (BufferUnderflowException | IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          "change '%s' of a directory entry is corrupt; run the same version of Ebb on all nodes"
              .formatted(HexFormat.of().formatHex(bytes)),
          wrong);
    }
  }

  private static Change read(ByteBuffer in) {
    byte kind = in.get();
    return switch (kind) {
      case HELD -> {
        int flags = in.get();
        Holder holder = new Holder(in.getInt(), (flags & REPLICA) != 0);
        long version = in.getLong();
        long size = Varint.get(in);
        int crc32c = in.getInt();
        long expiresAt = in.getLong();
        boolean immutable = (flags & IMMUTABLE) != 0;
        yield new Held(holder, version, size, crc32c, expiresAt, immutable, gone(in));
      }
      case RELEASED -> new Released(in.getInt(), in.get() != 0, gone(in));
      case DELETED -> new Deleted(in.getLong());
      case MERGED -> {
        byte[] entry = new byte[in.remaining()];
        in.get(entry);
        yield new Merged(DirectoryEntry.decode(entry));
      }
      default -> throw new IllegalArgumentException("kind '%d' is not known".formatted(kind));
    };
  }

  private static ByteBuffer buffer(int bytes, Set<Integer> gone) {
    return ByteBuffer.allocate(bytes + Varint.MAX_BYTES + gone.size() * Integer.BYTES);
  }

  private static byte[] finish(ByteBuffer out, Set<Integer> gone) {
    Varint.put(out, gone.size());
    gone.forEach(out::putInt);
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  private static Set<Integer> gone(ByteBuffer in) {
    int count = Varint.count(in, Integer.BYTES);
    Set<Integer> gone = HashSet.newHashSet(count);
    for (int i = 0; i < count; i++) {
      gone.add(in.getInt());
    }
    return gone;
  }
}
