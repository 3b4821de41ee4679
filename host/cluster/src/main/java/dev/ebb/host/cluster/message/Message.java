package dev.ebb.host.cluster.message;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Gatherers;

/**
 * A message between nodes about some values.
 *
 * @param from the id of the node that sends it
 * @param items what it is about; empty for messages about the node
 */
public record Message(MessageType type, int from, List<Item> items) {

  static final int MOST_ITEMS = 256;

  /**
   * A value.
   *
   * @param version the version that the message is about, by the hybrid logical clock
   * @param metadata that of a chunk; empty if the message is not about it
   */
  // The arrays are the key and its metadata themselves; a copy for each use would be waste.
  @SuppressWarnings("ArrayRecordComponent")
  public record Item(byte[] key, long version, byte[] metadata) {

    private static final byte[] NONE = {};

    public Item(byte[] key, long version) {
      this(key, version, NONE);
    }
  }

  public Message {
    items = List.copyOf(items);
  }

  /** Returns items in lists that each fit into a message. */
  public static List<List<Item>> parts(List<Item> items) {
    return items.stream().gather(Gatherers.windowFixed(MOST_ITEMS)).toList();
  }

  public byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(type.code());
      out.writeInt(from);
      out.writeInt(items.size());
      for (Item item : items) {
        out.writeLong(item.version);
        out.writeInt(item.key.length);
        out.write(item.key);
        out.writeInt(item.metadata.length);
        out.write(item.metadata);
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  public static Message decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int code = in.readUnsignedByte();
      Optional<MessageType> type = MessageType.of(code);
      int from = in.readInt();
      int count = in.readInt();
      if (type.isEmpty() || count < 0 || count > MOST_ITEMS) {
        throw new IllegalArgumentException(
            "message of type '%d' with '%d' items is unknown: update this node or the sender"
                .formatted(code, count));
      }
      List<Item> items = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        long version = in.readLong();
        items.add(new Item(bytes(in), version, bytes(in)));
      }
      return new Message(type.get(), from, items);
    } catch (IOException truncated) {
      throw new IllegalArgumentException(
          "a message of '%d' bytes is truncated".formatted(bytes.length));
    }
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new EOFException();
    }
    return in.readNBytes(length);
  }
}
