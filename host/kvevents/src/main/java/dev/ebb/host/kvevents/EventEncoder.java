package dev.ebb.host.kvevents;

import dev.ebb.host.config.KvEventsFormat;
import dev.ebb.host.group.ObjectGroup;
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
 * fields at the end are left out, which gives them their defaults, unless an array needs one of
 * them.
 */
final class EventEncoder {

  private static final int RANK = 0;
  private static final int NO_TOKENS = 0;

  /** The medium of values on the disk, as LMCache and vLLM call it. */
  private static final String DISK = "DISK";

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
      case KvEvent.Stored stored ->
          stored(
              out, hashes.of(stored.key()), stored.parent(), stored.group(), stored.kind(), medium);
      case KvEvent.Removed removed ->
          removed(out, hashes.of(removed.key()), removed.group(), medium);
      case KvEvent.OnDisk stored -> stored(out, stored.hash(), null, stored.group(), null, DISK);
      case KvEvent.OffDisk removed -> removed(out, removed.hash(), removed.group(), DISK);
      case KvEvent.Cleared _ -> start(out, "AllBlocksCleared", 0);
      case KvEvent.Lost _ -> throw new IllegalArgumentException("a gap is not an event");
    }
  }

  private void removed(MessageBufferPacker out, long hash, int group, String from)
      throws IOException {
    boolean grouped = group != KvEvent.ONLY_GROUP;
    start(out, "BlockRemoved", grouped ? 3 : 2);
    field(out, "block_hashes").packArrayHeader(1);
    hash(out, hash);
    field(out, "medium").packString(from);
    if (grouped) {
      field(out, "group_idx").packInt(group);
    }
  }

  private void stored(
      MessageBufferPacker out,
      long hash,
      byte @Nullable [] parent,
      int group,
      ObjectGroup.@Nullable Kind kind,
      String on)
      throws IOException {
    boolean grouped = group != KvEvent.ONLY_GROUP;
    start(out, "BlockStored", 7 + (grouped ? optional(kind) : 0));
    field(out, "block_hashes").packArrayHeader(1);
    hash(out, hash);
    field(out, "parent_block_hash");
    if (parent == null) {
      out.packNil();
    } else {
      hash(out, hashes.of(parent));
    }
    // A server does not know tokens. A size that does not fit the empty list makes routers fail.
    field(out, "token_ids").packArrayHeader(0);
    field(out, "block_size").packInt(NO_TOKENS);
    field(out, "lora_id").packNil();
    field(out, "medium").packString(on);
    field(out, "lora_name").packNil();
    if (grouped) {
      group(out, group, kind);
    }
  }

  /** Returns how many optional fields an event has: an array has all. */
  private int optional(ObjectGroup.@Nullable Kind kind) {
    return maps ? (kind == null ? 1 : 2) : 4;
  }

  private void group(MessageBufferPacker out, int group, ObjectGroup.@Nullable Kind kind)
      throws IOException {
    if (!maps) {
      out.packNil(); // extra_keys
    }
    field(out, "group_idx").packInt(group);
    if (kind != null) {
      field(out, "kv_cache_spec_kind").packString(kind(kind));
    } else if (!maps) {
      out.packNil();
    }
    if (!maps) {
      out.packNil(); // kv_cache_spec_sliding_window
    }
  }

  /** Returns the name of vLLM's {@code KVCacheSpecKind}. */
  private static String kind(ObjectGroup.Kind kind) {
    return switch (kind) {
      case FULL -> "full_attention";
      case WINDOW -> "sliding_window";
      case STATE -> "mamba";
    };
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

  private static void hash(MessageBufferPacker out, long hash) throws IOException {
    if (hash >= 0) {
      out.packLong(hash);
    } else {
      out.packBigInteger(new BigInteger(Long.toUnsignedString(hash)));
    }
  }
}
