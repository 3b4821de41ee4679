package dev.ebb.host.kvevents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

/**
 * Writes batches as vLLM's msgspec structs do: arrays of the fields, of which the first is the name
 * of the event. Later fields of newer versions are left out, which gives them their defaults.
 */
final class EventEncoder {

  private static final int RANK = 0;
  private static final int NO_TOKENS = 0;

  private final String medium;
  private final BlockHash hashes = new BlockHash();

  EventEncoder(String medium) {
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
        out.packArrayHeader(3).packString("BlockRemoved").packArrayHeader(1);
        hash(out, removed.key());
        out.packString(medium);
      }
      case KvEvent.Cleared _ -> out.packArrayHeader(1).packString("AllBlocksCleared");
      case KvEvent.Lost _ -> throw new IllegalArgumentException("a gap is not an event");
    }
  }

  private void stored(MessageBufferPacker out, KvEvent.Stored stored) throws IOException {
    out.packArrayHeader(8).packString("BlockStored").packArrayHeader(1);
    hash(out, stored.key());
    hash(out, stored.parent());
    // A server does not know tokens. A size that does not fit the empty list makes routers fail.
    out.packArrayHeader(0).packInt(NO_TOKENS);
    // The number and, at the end, the name of a LoRA adapter.
    out.packNil().packString(medium).packNil();
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
