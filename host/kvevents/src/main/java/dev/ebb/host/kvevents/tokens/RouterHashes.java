package dev.ebb.host.kvevents.tokens;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The hashes by which Dynamo's routers name blocks of tokens. The hash of a block is XXH3 of its
 * tokens as numbers of 4 bytes, little-endian; adapter and salt change its seed. A chain adds the
 * blocks before it.
 */
public final class RouterHashes {

  private static final long SEED = 1337;
  private static final Hasher64 PLAIN = Hashing.xxh3_64(SEED);

  private RouterHashes() {}

  /** Returns the seed of an adapter and a salt, either of which may be empty. */
  public static long seed(String adapter, String salt) {
    long seed = SEED;
    if (!adapter.isEmpty()) {
      seed += text(adapter, 0);
    }
    if (!salt.isEmpty()) {
      seed += text(salt, 1);
    }
    return seed;
  }

  /** Returns the hash of some tokens alone. */
  public static long block(int[] tokens, int from, int count, long seed) {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * count).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(tokens, from, count);
    return Hashing.xxh3_64(seed).hashBytesToLong(bytes.array());
  }

  /** Returns the hash of a block with those before it; the first block's is its own. */
  public static long next(long before, long block) {
    ByteBuffer both = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return PLAIN.hashBytesToLong(both.putLong(before).putLong(block).array());
  }

  private static long text(String text, long seed) {
    return Hashing.xxh3_64(seed).hashBytesToLong(text.getBytes(StandardCharsets.UTF_8));
  }
}
