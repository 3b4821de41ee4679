package dev.ebb.host.kvevents.source;

import dev.ebb.host.kvevents.tokens.TokenBlock;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ValueType;

/**
 * Reads the blocks of engines' events. Batches and events are arrays, or maps whose key {@code
 * type} has the event's name; both grow by fields at the end, which are ignored.
 *
 * <p>The input is not trusted: no array is allocated that is longer than the batch.
 */
final class EngineEvents {

  /** The fields of an event as an array, in their order. */
  private static final String[] FIELDS = {
    "type",
    "block_hashes",
    "parent_block_hash",
    "token_ids",
    "block_size",
    "lora_id",
    "medium",
    "lora_name",
    "extra_keys"
  };

  private static final String STORED = "BlockStored";
  private static final int SHA256 = 32;

  /** What Dynamo puts before a salt that its routers hash. */
  private static final String SALT = "dynamo-cache-salt:";

  private final Consumer<TokenBlock> blocks;
  private final MessageDigest sha256;

  private byte[] batch = {};
  private int events;
  private int rejected;

  EngineEvents(Consumer<TokenBlock> blocks) {
    this.blocks = blocks;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /** Thrown for bytes that are not a batch of events. */
  static final class Malformed extends Exception {

    private static final long serialVersionUID = 1;

    Malformed(String reason) {
      super(reason);
    }
  }

  /** Returns how many events with tokens were read. */
  int events() {
    return events;
  }

  /** Returns how many events with tokens were of no use, because their numbers do not fit. */
  int rejected() {
    return rejected;
  }

  /**
   * Reads a batch.
   *
   * @throws Malformed if it is not one; blocks before the fault have been read
   */
  void read(byte[] payload) throws Malformed {
    batch = payload;
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(payload)) {
      if (type(in) == ValueType.MAP) {
        for (int left = map(in); left > 0; left--) {
          if (in.unpackString().equals("events")) {
            events(in);
          } else {
            in.skipValue();
          }
        }
      } else {
        if (array(in) < 2) {
          throw new Malformed("a batch needs a time and events");
        }
        in.skipValue();
        events(in);
      }
    } catch (IOException | MessagePackException wrong) {
      String reason = wrong.getMessage();
      throw new Malformed(reason == null ? "it is not complete MessagePack" : reason);
    }
  }

  private void events(MessageUnpacker in) throws IOException, Malformed {
    for (int left = array(in); left > 0; left--) {
      event(in);
    }
  }

  /** What an event says, as far as it is known. */
  private static final class Event {
    @Nullable String type;
    Hash[] hashes = {};
    @Nullable Hash parent;
    int @Nullable [] tokens = {};
    long blockTokens;
    String adapter = "";
    String salt = "";
    byte[][] extraKeys = {};
  }

  /** A hash of vLLM's tier and of others; they differ if the engine's hash is not a SHA-256. */
  private record Hash(long tier, long plain) {}

  private void event(MessageUnpacker in) throws IOException, Malformed {
    Event event = new Event();
    if (type(in) == ValueType.MAP) {
      for (int left = map(in); left > 0; left--) {
        field(in, in.unpackString(), event);
      }
    } else {
      int fields = array(in);
      for (int i = 0; i < fields; i++) {
        // Other events have other fields.
        boolean read = i == 0 || (i < FIELDS.length && STORED.equals(event.type));
        field(in, read ? FIELDS[i] : "", event);
      }
    }
    if (event.type == null) {
      throw new Malformed("an event has no type");
    }
    if (event.type.equals(STORED) && (event.tokens == null || event.tokens.length > 0)) {
      events++;
      stored(event);
    }
  }

  private void field(MessageUnpacker in, String name, Event event) throws IOException, Malformed {
    switch (name) {
      case "type" -> event.type = in.unpackString();
      case "block_hashes" -> event.hashes = hashes(in);
      case "parent_block_hash" -> event.parent = in.tryUnpackNil() ? null : hash(in);
      case "token_ids" -> event.tokens = tokens(in);
      case "block_size" -> event.blockTokens = in.unpackLong();
      case "lora_name" -> loraName(in, event);
      case "cache_salt" -> event.salt = in.tryUnpackNil() ? "" : in.unpackString();
      case "extra_keys" -> event.extraKeys = extraKeys(in);
      default -> in.skipValue();
    }
  }

  /** SGLang's arrays have a map of more fields in this place. */
  private void loraName(MessageUnpacker in, Event event) throws IOException, Malformed {
    if (type(in) != ValueType.MAP) {
      event.adapter = in.tryUnpackNil() ? "" : in.unpackString();
      return;
    }
    for (int left = map(in); left > 0; left--) {
      field(in, in.unpackString().equals("cache_salt") ? "cache_salt" : "", event);
    }
  }

  private Hash[] hashes(MessageUnpacker in) throws IOException, Malformed {
    Hash[] hashes = new Hash[array(in)];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = hash(in);
    }
    return hashes;
  }

  private Hash hash(MessageUnpacker in) throws IOException, Malformed {
    if (type(in) == ValueType.BINARY) {
      int length = in.unpackBinaryHeader();
      check(length);
      byte[] bytes = in.readPayload(length);
      long plain = last(bytes);
      return new Hash(length == SHA256 ? plain : last(sha256.digest(bytes)), plain);
    }
    BigInteger number = in.unpackBigInteger();
    return new Hash(number.longValue(), number.longValue());
  }

  /** Returns the last 64 bits. */
  private static long last(byte[] hash) {
    byte[] padded = new byte[Long.BYTES];
    int length = Math.min(hash.length, padded.length);
    System.arraycopy(hash, hash.length - length, padded, padded.length - length, length);
    return ByteBuffer.wrap(padded).getLong();
  }

  /** Returns token ids; null if they are of another kind, such as pairs. */
  private int @Nullable [] tokens(MessageUnpacker in) throws IOException, Malformed {
    int[] tokens = new int[array(in)];
    boolean plain = true;
    for (int i = 0; i < tokens.length; i++) {
      if (type(in) == ValueType.INTEGER) {
        tokens[i] = (int) in.unpackLong();
      } else {
        plain = false;
        in.skipValue();
      }
    }
    return plain ? tokens : null;
  }

  /** Returns the bytes of each block's keys, which routers read. */
  private byte[][] extraKeys(MessageUnpacker in) throws IOException, Malformed {
    if (in.tryUnpackNil()) {
      return new byte[0][];
    }
    byte[][] keys = new byte[array(in)][];
    for (int i = 0; i < keys.length; i++) {
      int from = (int) in.getTotalReadBytes();
      boolean none = type(in) == ValueType.NIL;
      in.skipValue();
      keys[i] = none ? new byte[0] : Arrays.copyOfRange(batch, from, (int) in.getTotalReadBytes());
    }
    return keys;
  }

  private void stored(Event event) throws IOException, Malformed {
    int[] tokens = event.tokens;
    int size = (int) event.blockTokens;
    if (tokens == null || size < 1 || (long) size * event.hashes.length != tokens.length) {
      rejected++;
      return;
    }
    String salt = event.salt.isEmpty() ? taggedSalt(event) : event.salt;
    for (int i = 0; i < event.hashes.length; i++) {
      Hash parent = i == 0 ? event.parent : event.hashes[i - 1];
      int[] own = Arrays.copyOfRange(tokens, i * size, (i + 1) * size);
      byte[] keys = i < event.extraKeys.length ? event.extraKeys[i] : new byte[0];
      Hash hash = event.hashes[i];
      block(hash.plain, parent == null ? null : parent.plain, own, event.adapter, salt, keys);
      if (hash.tier != hash.plain) {
        block(hash.tier, parent == null ? null : parent.tier, own, event.adapter, salt, keys);
      }
    }
  }

  private void block(
      long id, @Nullable Long parent, int[] tokens, String adapter, String salt, byte[] keys) {
    blocks.accept(
        new TokenBlock(
            id, parent == null, parent == null ? 0 : parent, tokens, adapter, salt, keys));
  }

  /** Returns the salt in the first block's keys that Dynamo has marked. */
  private static String taggedSalt(Event event) throws IOException {
    if (event.extraKeys.length == 0 || event.extraKeys[0].length == 0) {
      return "";
    }
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(event.extraKeys[0])) {
      for (int left = in.unpackArrayHeader(); left > 0; left--) {
        if (type(in) != ValueType.STRING) {
          in.skipValue();
          continue;
        }
        String key = in.unpackString();
        if (key.startsWith(SALT)) {
          return key.substring(SALT.length());
        }
      }
    }
    return "";
  }

  private static ValueType type(MessageUnpacker in) throws IOException {
    return in.getNextFormat().getValueType();
  }

  private int array(MessageUnpacker in) throws IOException, Malformed {
    return check(in.unpackArrayHeader());
  }

  private int map(MessageUnpacker in) throws IOException, Malformed {
    return check(in.unpackMapHeader());
  }

  private int check(int length) throws Malformed {
    if (length > batch.length) {
      throw new Malformed("a list is longer than its batch");
    }
    return length;
  }
}
