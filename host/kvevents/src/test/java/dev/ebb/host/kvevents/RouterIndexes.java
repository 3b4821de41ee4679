package dev.ebb.host.kvevents;

import dev.ebb.host.kvevents.tokens.RouterHashes;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * What routers make of events in the format of maps. Their rules are written from their sources.
 */
final class RouterIndexes {

  private RouterIndexes() {}

  /** An event as both routers decode it. */
  record Decoded(
      String type,
      long[] hashes,
      Long parent,
      int[] tokens,
      int blockSize,
      String medium,
      String loraName,
      String cacheSalt) {

    static Decoded of(Value value) {
      Map<Value, Value> fields = value.asMapValue().map();
      Value hashes = field(fields, "block_hashes");
      Value parent = field(fields, "parent_block_hash");
      Value tokens = field(fields, "token_ids");
      Value size = field(fields, "block_size");
      return new Decoded(
          text(fields, "type"),
          hashes == null ? new long[0] : longs(hashes),
          parent == null ? null : bits(parent),
          tokens == null
              ? new int[0]
              : Arrays.stream(longs(tokens)).mapToInt(t -> (int) t).toArray(),
          size == null ? 0 : size.asIntegerValue().asInt(),
          text(fields, "medium"),
          text(fields, "lora_name"),
          text(fields, "cache_salt"));
    }

    private static Value field(Map<Value, Value> fields, String name) {
      Value value = fields.get(ValueFactory.newString(name));
      return value == null || value.isNilValue() ? null : value;
    }

    private static String text(Map<Value, Value> fields, String name) {
      Value value = field(fields, name);
      return value == null ? "" : value.asStringValue().asString();
    }

    private static long bits(Value value) {
      return value.asIntegerValue().asBigInteger().longValue();
    }

    private static long[] longs(Value list) {
      return list.asArrayValue().list().stream().mapToLong(Decoded::bits).toArray();
    }
  }

  /**
   * Dynamo: {@code lib/kv-router/src/zmq_wire/convert.rs} (an event with a hash twice is dropped; a
   * block is indexed if its size is the router's and there are enough tokens), {@code
   * lib/llm/src/kv_router/publisher/dedup.rs} (a removal counts when each store has had one), and
   * {@code lib/kv-router/src/indexer/lower_tier.rs} (edges from a parent and a hash of tokens to a
   * child; the first child of an edge wins).
   */
  static final class Dynamo {
    private final int blockSize;
    private final Map<Long, Integer> references = new HashMap<>();
    private final Map<List<Object>, Long> edges = new HashMap<>();
    private final Map<Long, List<Object>> edgeOf = new HashMap<>();

    /** Events whose blocks were refused. */
    int refused;

    Dynamo(int blockSize) {
      this.blockSize = blockSize;
    }

    void apply(Decoded event) {
      switch (event.type) {
        case "BlockStored" -> stored(event);
        case "BlockRemoved" -> removed(event);
        default -> {
          references.clear();
          edges.clear();
          edgeOf.clear();
        }
      }
    }

    private void stored(Decoded event) {
      Set<Long> seen = new HashSet<>();
      if (event.parent != null) {
        seen.add(event.parent);
      }
      for (long hash : event.hashes) {
        if (!seen.add(hash)) {
          refused++;
          return;
        }
      }
      Long parent = event.parent;
      long seed = RouterHashes.seed(event.loraName, event.cacheSalt);
      for (int i = 0; i < event.hashes.length; i++) {
        if (event.blockSize != blockSize || (i + 1) * blockSize > event.tokens.length) {
          refused++;
          return;
        }
        long local = RouterHashes.block(event.tokens, i * blockSize, blockSize, seed);
        references.merge(event.hashes[i], 1, Integer::sum);
        List<Object> edge = Arrays.asList(parent, local);
        if (edges.putIfAbsent(edge, event.hashes[i]) == null) {
          edgeOf.put(event.hashes[i], edge);
        }
        parent = event.hashes[i];
      }
    }

    private void removed(Decoded event) {
      for (long hash : event.hashes) {
        Integer left =
            references.computeIfPresent(hash, (_, count) -> count == 1 ? null : count - 1);
        List<Object> edge = left == null ? edgeOf.remove(hash) : null;
        if (edge != null) {
          edges.remove(edge);
        }
      }
    }

    int size() {
      return edges.size();
    }

    /** Returns how many leading blocks of a prompt it knows. */
    int prefix(int[] tokens) {
      Long parent = null;
      int found = 0;
      long seed = RouterHashes.seed("", "");
      while ((found + 1) * blockSize <= tokens.length) {
        long local = RouterHashes.block(tokens, found * blockSize, blockSize, seed);
        parent = edges.get(Arrays.<Object>asList(parent, local));
        if (parent == null) {
          return found;
        }
        found++;
      }
      return found;
    }
  }

  /**
   * llm-d: {@code pkg/kvevents/pool.go} (a stored event whose parent is not known is dropped; one
   * without a whole block of tokens only adds to blocks that are known), {@code
   * pkg/kvcache/kvblock/token_processor.go} (FNV-64a of the parent, the tokens and nil in CBOR) and
   * {@code in_memory.go} (several hashes of the engine to several of its own, by their ratio).
   */
  static final class LlmD {
    private final int blockSize;
    private final long root;
    private final Map<Long, List<Long>> requestKeys = new HashMap<>();
    private final Set<Long> index = new HashSet<>();

    /** Events that were dropped because their parent was not known. */
    int orphans;

    LlmD(int blockSize, String model) {
      this.blockSize = blockSize;
      root = hash(fnv(new byte[0]), null, model);
    }

    void apply(Decoded event) {
      switch (event.type) {
        case "BlockStored" -> stored(event);
        case "BlockRemoved" -> {
          for (long hash : event.hashes) {
            List<Long> keys = requestKeys.getOrDefault(hash, List.of());
            index.removeAll(keys);
            requestKeys.remove(hash);
          }
        }
        default -> index.clear();
      }
    }

    private void stored(Decoded event) {
      long parent = root;
      if (event.parent != null && event.parent != 0) {
        List<Long> known = requestKeys.get(event.parent);
        if (known == null) {
          orphans++;
          return;
        }
        parent = known.getLast();
      }
      List<Long> keys = keys(parent, event.tokens);
      int count = Math.max(keys.size(), event.hashes.length);
      if (keys.isEmpty()) {
        return;
      }
      Map<Long, List<Long>> mapped = new HashMap<>();
      for (int i = 0; i < count; i++) {
        mapped
            .computeIfAbsent(
                event.hashes[i * event.hashes.length / count], any -> new ArrayList<>())
            .add(keys.get(i * keys.size() / count));
      }
      requestKeys.putAll(mapped);
      index.addAll(keys);
    }

    /** Returns how many leading blocks of a prompt it knows. */
    int prefix(int[] tokens) {
      int found = 0;
      for (long key : keys(root, tokens)) {
        if (!index.contains(key)) {
          return found;
        }
        found++;
      }
      return found;
    }

    private List<Long> keys(long parent, int[] tokens) {
      List<Long> keys = new ArrayList<>();
      long before = parent;
      for (int from = 0; from + blockSize <= tokens.length; from += blockSize) {
        before = hash(before, Arrays.copyOfRange(tokens, from, from + blockSize), null);
        keys.add(before);
      }
      return keys;
    }

    private static long hash(long parent, int[] tokens, String extra) {
      ByteArrayOutputStream cbor = new ByteArrayOutputStream();
      cbor.write(0x83);
      head(cbor, 0, parent);
      if (tokens == null) {
        cbor.write(0xf6);
      } else {
        head(cbor, 4, tokens.length);
        for (int token : tokens) {
          head(cbor, 0, Integer.toUnsignedLong(token));
        }
      }
      if (extra == null) {
        cbor.write(0xf6);
      } else {
        head(cbor, 3, extra.length());
        cbor.writeBytes(extra.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      }
      return fnv(cbor.toByteArray());
    }

    private static void head(ByteArrayOutputStream out, int type, long value) {
      int bytes =
          Long.compareUnsigned(value, 24) < 0
              ? 0
              : Long.compareUnsigned(value, 256) < 0
                  ? 1
                  : Long.compareUnsigned(value, 1 << 16) < 0
                      ? 2
                      : Long.compareUnsigned(value, 1L << 32) < 0 ? 4 : 8;
      int code =
          switch (bytes) {
            case 0 -> (int) value;
            case 1 -> 24;
            case 2 -> 25;
            case 4 -> 26;
            default -> 27;
          };
      out.write(type << 5 | code);
      for (int i = bytes - 1; i >= 0; i--) {
        out.write((int) (value >>> 8 * i));
      }
    }

    private static long fnv(byte[] bytes) {
      long hash = 0xcbf29ce484222325L;
      for (byte each : bytes) {
        hash = (hash ^ each & 0xff) * 0x100000001b3L;
      }
      return hash;
    }
  }
}
