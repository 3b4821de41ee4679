package dev.ebb.host.kvevents;

import dev.ebb.host.config.KvEventsFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;

/**
 * Writes batches as vLLM's msgspec structs do. A batch is an array. An event is a map of its fields
 * with its name as {@code type}, or an array of the values that starts with the name. Optional
 * fields at the end are left out, which gives them their defaults.
 */
final class EventEncoder {

  private static final int RANK = 0;
  private static final int NO_TOKENS = 0;

  private final boolean maps;
  private final String medium;
  private final BlockHash hashes = new BlockHash();

  EventEncoder(KvEventsFormat format, String medium) {
    maps = format == KvEventsFormat.MAP;
    this.medium = medium;
  }

  /**
   * Encodes a batch.
   *
   * @param seconds wall-clock seconds
   */
  byte[] encode(double seconds, List<KvEvent> events) {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packArrayHeader(3);
      out.packDouble(seconds);
      out.packArrayHeader(events.size());
      for (KvEvent event : events) {
        event(out, event);
      }
      out.packInt(RANK);
      return out.toByteArray();
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  private void event(MessageBufferPacker out, KvEvent event) throws IOException {
    switch (event) {
      case KvEvent.Stored stored -> stored(out, stored);
      case KvEvent.Removed removed -> {
        start(out, "BlockRemoved", 2);
        field(out, "block_hashes").packArrayHeader(1);
        hash(out, removed.key());
        field(out, "medium").packString(medium);
      }
      case KvEvent.Cleared _ -> start(out, "AllBlocksCleared", 0);
      case KvEvent.Lost _ -> throw new IllegalArgumentException("a gap is not an event");
    }
  }

  private void stored(MessageBufferPacker out, KvEvent.Stored stored) throws IOException {
    start(out, "BlockStored", 7);
    field(out, "block_hashes").packArrayHeader(1);
    hash(out, stored.key());
    field(out, "parent_block_hash");
    hash(out, stored.parent());
    // A server does not know tokens. A size that does not fit the empty list makes routers fail.
    field(out, "token_ids").packArrayHeader(0);
    field(out, "block_size").packInt(NO_TOKENS);
    field(out, "lora_id").packNil();
    field(out, "medium").packString(medium);
    field(out, "lora_name").packNil();
  }

  private void start(MessageBufferPacker out, String name, int fields) throws IOException {
    if (maps) {
      out.packMapHeader(fields + 1).packString("type");
    } else {
      out.packArrayHeader(fields + 1);
    }
    out.packString(name);
  }

  private MessagePacker field(MessageBufferPacker out, String name) throws IOException {
    return maps ? out.packString(name) : out;
  }

  private void hash(MessageBufferPacker out, byte @Nullable [] key) throws IOException {
    if (key == null) {
      out.packNil();
      return;
    }
    long hash = hashes.of(key);
    if (hash >= 0) {
      out.packLong(hash);
    } else {
      out.packBigInteger(new BigInteger(Long.toUnsignedString(hash)));
    }
  }
}
