package dev.ebb.host.store.chain;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of a chunk that the key does not tell, for the store of another node.
 *
 * @param groups the object groups of its model; null if they are not known
 * @param before the keys of the chunks before it in its prompt, the nearest first: copies of some
 *     may be on other nodes
 */
public record ChunkContext(@Nullable ObjectGroups groups, List<byte[]> before) {

  public static final ChunkContext NONE = new ChunkContext(null, List.of());

  static final int MOST_BEFORE = 8;

  static final int MOST_KEY_BYTES = 3 << 10;

  public ChunkContext {
    before = List.copyOf(before);
  }

  public byte[] encode() {
    if (groups == null && before.isEmpty()) {
      return new byte[0];
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(groups == null ? "" : groups.toString());
      for (byte[] key : before) {
        out.writeShort(key.length);
        out.write(key);
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  /** Decodes a context; nothing is known from bytes that are not one. */
  public static ChunkContext decode(byte[] bytes) {
    if (bytes.length == 0) {
      return NONE;
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      String groups = in.readUTF();
      List<byte[]> before = new ArrayList<>();
      while (in.available() > 0) {
        byte[] key = new byte[in.readUnsignedShort()];
        in.readFully(key);
        before.add(key);
      }
      return new ChunkContext(
          groups.isEmpty() ? null : ObjectGroups.parse("groups", groups), before);
    } catch (IOException | UserError wrong) {
      return NONE;
    }
  }
}
