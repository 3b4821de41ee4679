package dev.ebb.host.cluster.change;

import dev.ebb.host.cluster.message.Message.Item;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes of values that a node knows.
 *
 * @param from it knows all changes of the cluster that are newer than this version
 * @param forgotten whether it has forgotten some since its start
 * @param cleared the version at which all values were removed last; 0 if they were not
 * @param floors keys, each with the oldest version that is still valid
 */
public record Changes(long from, boolean forgotten, long cleared, List<Item> floors) {

  public Changes {
    floors = List.copyOf(floors);
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(from);
      out.writeBoolean(forgotten);
      out.writeLong(cleared);
      out.writeInt(floors.size());
      for (Item item : floors) {
        out.writeLong(item.version());
        out.writeInt(item.key().length);
        out.write(item.key());
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  /** Fails with an {@link IllegalArgumentException} if the bytes are not changes. */
  static Changes decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      long from = in.readLong();
      boolean forgotten = in.readBoolean();
      long cleared = in.readLong();
      int count = in.readInt();
      List<Item> floors = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        long version = in.readLong();
        byte[] key = new byte[in.readInt()];
        in.readFully(key);
        floors.add(new Item(key, version));
      }
      return new Changes(from, forgotten, cleared, floors);
    } catch (IOException | NegativeArraySizeException truncated) {
      throw new IllegalArgumentException(
          "changes of '%d' bytes are truncated".formatted(bytes.length), truncated);
    }
  }
}
