package dev.ebb.host.kvevents;

import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.group.ObjectGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.Arrays;
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

  /** The medium of values on the disk, as LMCache and vLLM call it. */
  private static final String DISK = "DISK";

  private final boolean maps;
  private final String medium;

  EventEncoder(KvEventsFormat format, String medium) {
    maps = format == KvEventsFormat.MAP;
    this.medium = medium;
  }

  /**
   * Encodes a batch.
   *
   * @param seconds wall-clock seconds
   */
  byte[] encode(double seconds, List<BlockEvent> events) {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packArrayHeader(3);
      out.packDouble(seconds);
      out.packArrayHeader(events.size());
      for (BlockEvent event : events) {
        event(out, event);
      }
      out.packInt(RANK);
      return out.toByteArray();
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  private void event(MessageBufferPacker out, BlockEvent event) throws IOException {
    switch (event) {
      case BlockEvent.Stored stored -> stored(out, stored);
      case BlockEvent.Removed removed -> removed(out, removed);
      case BlockEvent.Cleared _ -> start(out, "AllBlocksCleared", 0);
    }
  }

  private void removed(MessageBufferPacker out, BlockEvent.Removed removed) throws IOException {
    boolean grouped = removed.group() != KvEvent.ONLY_GROUP;
    start(out, "BlockRemoved", grouped ? 3 : 2);
    hashes(field(out, "block_hashes"), removed.hashes());
    field(out, "medium").packString(removed.disk() ? DISK : medium);
    if (grouped) {
      field(out, "group_idx").packInt(removed.group());
    }
  }

  private void stored(MessageBufferPacker out, BlockEvent.Stored stored) throws IOException {
    boolean extra = Arrays.stream(stored.extraKeys()).anyMatch(keys -> keys.length > 0);
    start(out, "BlockStored", 7 + optional(stored, extra));
    hashes(field(out, "block_hashes"), stored.hashes());
    field(out, "parent_block_hash");
    Long parent = stored.parent();
    if (parent == null) {
      out.packNil();
    } else {
      hash(out, parent);
    }
    // Without tokens the size is 0: one that does not fit the empty list makes routers fail.
    field(out, "token_ids").packArrayHeader(stored.tokens().length);
    for (int token : stored.tokens()) {
      out.packLong(Integer.toUnsignedLong(token));
    }
    field(out, "block_size").packInt(stored.blockTokens());
    field(out, "lora_id").packNil();
    field(out, "medium").packString(stored.disk() ? DISK : medium);
    text(field(out, "lora_name"), stored.adapter());
    if (extra) {
      extraKeys(field(out, "extra_keys"), stored.extraKeys());
    }
    if (stored.group() != KvEvent.ONLY_GROUP) {
      group(out, stored.group(), stored.kind(), extra);
    }
    if (maps && !stored.salt().isEmpty()) {
      field(out, "cache_salt").packString(stored.salt());
    }
  }

  /** Returns how many optional fields an event has: an array has all before the last one. */
  private int optional(BlockEvent.Stored stored, boolean extra) {
    boolean grouped = stored.group() != KvEvent.ONLY_GROUP;
    if (!maps) {
      return grouped ? 4 : extra ? 1 : 0;
    }
    int salt = stored.salt().isEmpty() ? 0 : 1;
    return (extra ? 1 : 0) + salt + (grouped ? stored.kind() == null ? 1 : 2 : 0);
  }

  private static void text(MessagePacker out, String text) throws IOException {
    if (text.isEmpty()) {
      out.packNil();
    } else {
      out.packString(text);
    }
  }

  private static void extraKeys(MessagePacker out, byte[][] keys) throws IOException {
    out.packArrayHeader(keys.length);
    for (byte[] each : keys) {
      if (each.length == 0) {
        out.packNil();
      } else {
        out.writePayload(each);
      }
    }
  }

  private void group(
      MessageBufferPacker out, int group, ObjectGroup.@Nullable Kind kind, boolean extra)
      throws IOException {
    if (!maps && !extra) {
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

  private static void hashes(MessagePacker out, long[] hashes) throws IOException {
    out.packArrayHeader(hashes.length);
    for (long hash : hashes) {
      hash(out, hash);
    }
  }

  private static void hash(MessagePacker out, long hash) throws IOException {
    if (hash >= 0) {
      out.packLong(hash);
    } else {
      out.packBigInteger(new BigInteger(Long.toUnsignedString(hash)));
    }
  }
}
