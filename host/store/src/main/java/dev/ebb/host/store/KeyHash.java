package dev.ebb.host.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4 with 128 bits of output (Aumasson and Bernstein 2012). Keyed, so that outsiders
 * cannot craft keys that collide. Of a chunk's two keys the stem is hashed, so that either finds
 * the entry of both; of the keys of several workers, what they have in common.
 */
final class KeyHash {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Makes the hash of a stem different from that of a key with the same bytes. */
  private static final long STEM = 0x5851F42D4C957F2DL;

  /** The same for what the keys of several workers have in common. */
  private static final long SHARD = 0x14057B7EF767814FL;

  private final long k0;
  private final long k1;

  KeyHash(long k0, long k1) {
    this.k0 = k0;
    this.k1 = k1;
  }

  ObjectKey of(byte[] bytes) {
    KeyRole role = KeyRole.of(bytes);
    LabelledKey parts = LabelledKey.parse(bytes);
    int stem = role.stemLength(bytes);
    byte[] common = parts == null ? null : parts.common(bytes, stem);
    boolean sharded = common != null;
    long apart = (role == KeyRole.PLAIN ? 0 : STEM) ^ (sharded ? SHARD : 0);
    State s = new State(k0 ^ apart, k1);
    absorb(s, common == null ? bytes : common, common == null ? stem : common.length);
    long low = s.squeeze();
    s.v1 ^= 0xDD;
    KeyRole own = role == KeyRole.PLAIN ? role : KeyRole.MAIN;
    ObjectKey main = new ObjectKey(bytes, own, parts != null, sharded, low, s.squeeze());
    return role == KeyRole.ATTACHMENT ? main.attachment(bytes) : main;
  }

  private static void absorb(State s, byte[] bytes, int length) {
    int whole = length & ~7;
    for (int i = 0; i < whole; i += 8) {
      s.absorb((long) LONGS.get(bytes, i));
    }
    long last = (long) length << 56;
    for (int i = whole; i < length; i++) {
      last |= (bytes[i] & 0xFFL) << (8 * (i - whole));
    }
    s.absorb(last);
    s.v2 ^= 0xEE;
  }

  private static final class State {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    State(long k0, long k1) {
      v0 = k0 ^ 0x736F6D6570736575L;
      v1 = k1 ^ 0x646F72616E646F6DL ^ 0xEE;
      v2 = k0 ^ 0x6C7967656E657261L;
      v3 = k1 ^ 0x7465646279746573L;
    }

    void absorb(long word) {
      v3 ^= word;
      round();
      round();
      v0 ^= word;
    }

    long squeeze() {
      for (int i = 0; i < 4; i++) {
        round();
      }
      return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
    }
  }
}
