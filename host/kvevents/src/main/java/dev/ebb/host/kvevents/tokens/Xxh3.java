package dev.ebb.host.kvevents.tokens;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * XXH3 with 64 bits and a seed, the hash of Dynamo's routers.
 *
 * @see <a href="https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md">its
 *     specification</a>
 */
final class Xxh3 {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long PRIME32_1 = 0x9E3779B1L;
  private static final long PRIME32_2 = 0x85EBCA77L;
  private static final long PRIME32_3 = 0xC2B2AE3DL;
  private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
  private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long PRIME64_3 = 0x165667B19E3779F9L;
  private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
  private static final long PRIME64_5 = 0x27D4EB2F165667C5L;
  private static final long MIX_1 = 0x165667919E3779F9L;
  private static final long MIX_2 = 0x9FB21C651E98DF25L;

  private static final byte[] SECRET =
      HexFormat.of()
          .parseHex(
              "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                  + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                  + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                  + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                  + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                  + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

  private static final int STRIPE = 64;
  private static final int STRIPES = 16;
  private static final int BLOCK = STRIPE * STRIPES;
  private static final int LAST = 128;

  private Xxh3() {}

  /** Returns the hash of the first bytes of an array. */
  static long hash(byte[] in, int length, long seed) {
    if (length > 240) {
      return many(in, length, seed);
    }
    if (length > 128) {
      return upTo240(in, length, seed);
    }
    if (length > 16) {
      return upTo128(in, length, seed);
    }
    return upTo16(in, length, seed);
  }

  private static long upTo16(byte[] in, int length, long seed) {
    if (length > 8) {
      long low = longAt(in, 0) ^ (secret(24) ^ secret(32)) + seed;
      long high = longAt(in, length - 8) ^ (secret(40) ^ secret(48)) - seed;
      return avalanche(length + Long.reverseBytes(low) + high + fold(low, high));
    }
    if (length > 3) {
      long mixed = seed ^ (long) Integer.reverseBytes((int) seed) << 32;
      long both = intAt(in, length - 4) + (intAt(in, 0) << 32);
      return strong(both ^ (secret(8) ^ secret(16)) - mixed, length);
    }
    if (length > 0) {
      long first = in[0] & 0xff;
      long middle = in[length >> 1] & 0xff;
      long all = first << 16 | middle << 24 | (in[length - 1] & 0xff) | (long) length << 8;
      return avalanche64(all ^ (intAt(SECRET, 0) ^ intAt(SECRET, 4)) + seed);
    }
    return avalanche64(seed ^ secret(56) ^ secret(64));
  }

  private static long upTo128(byte[] in, int length, long seed) {
    long sum = length * PRIME64_1;
    for (int i = (length - 1) / 32; i >= 0; i--) {
      sum += mix(in, 16 * i, 32 * i, seed) + mix(in, length - 16 * (i + 1), 32 * i + 16, seed);
    }
    return avalanche(sum);
  }

  private static long upTo240(byte[] in, int length, long seed) {
    long sum = length * PRIME64_1;
    for (int i = 0; i < 8; i++) {
      sum += mix(in, 16 * i, 16 * i, seed);
    }
    long end = mix(in, length - 16, 136 - 17, seed);
    for (int i = 8; i < length / 16; i++) {
      end += mix(in, 16 * i, 16 * (i - 8) + 3, seed);
    }
    return avalanche(avalanche(sum) + end);
  }

  private static long many(byte[] in, int length, long seed) {
    byte[] secret = seeded(seed);
    long[] sums = {
      PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
    };
    int at = 0;
    while (at + BLOCK < length) {
      for (int i = 0; i < STRIPES; i++) {
        accumulate(sums, in, at + STRIPE * i, secret, 8 * i);
      }
      scramble(sums, secret);
      at += BLOCK;
    }
    for (int i = 0; at + STRIPE * (i + 1) < length; i++) {
      accumulate(sums, in, at + STRIPE * i, secret, 8 * i);
    }
    accumulate(sums, in, length - STRIPE, secret, LAST - 7);
    long merged = length * PRIME64_1;
    for (int i = 0; i < 4; i++) {
      merged +=
          fold(
              sums[2 * i] ^ longAt(secret, 11 + 16 * i),
              sums[2 * i + 1] ^ longAt(secret, 19 + 16 * i));
    }
    return avalanche(merged);
  }

  private static byte[] seeded(long seed) {
    byte[] secret = SECRET.clone();
    for (int i = 0; seed != 0 && i < secret.length; i += 16) {
      LONGS.set(secret, i, secret(i) + seed);
      LONGS.set(secret, i + 8, secret(i + 8) - seed);
    }
    return secret;
  }

  private static void accumulate(long[] sums, byte[] in, int at, byte[] secret, int from) {
    for (int i = 0; i < sums.length; i++) {
      long data = longAt(in, at + 8 * i);
      long key = data ^ longAt(secret, from + 8 * i);
      sums[i ^ 1] += data;
      sums[i] += (key & 0xffffffffL) * (key >>> 32);
    }
  }

  private static void scramble(long[] sums, byte[] secret) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] = (sums[i] ^ sums[i] >>> 47 ^ longAt(secret, LAST + 8 * i)) * PRIME32_1;
    }
  }

  private static long mix(byte[] in, int at, int from, long seed) {
    return fold(longAt(in, at) ^ secret(from) + seed, longAt(in, at + 8) ^ secret(from + 8) - seed);
  }

  private static long fold(long a, long b) {
    return a * b ^ Math.unsignedMultiplyHigh(a, b);
  }

  private static long avalanche(long hash) {
    long mixed = (hash ^ hash >>> 37) * MIX_1;
    return mixed ^ mixed >>> 32;
  }

  private static long avalanche64(long hash) {
    long mixed = (hash ^ hash >>> 33) * PRIME64_2;
    mixed = (mixed ^ mixed >>> 29) * PRIME64_3;
    return mixed ^ mixed >>> 32;
  }

  private static long strong(long hash, int length) {
    long mixed = (hash ^ Long.rotateLeft(hash, 49) ^ Long.rotateLeft(hash, 24)) * MIX_2;
    mixed = (mixed ^ (mixed >>> 35) + length) * MIX_2;
    return mixed ^ mixed >>> 28;
  }

  private static long secret(int at) {
    return longAt(SECRET, at);
  }

  private static long longAt(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  private static long intAt(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at) & 0xffffffffL;
  }
}
