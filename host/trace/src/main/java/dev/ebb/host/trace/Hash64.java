package dev.ebb.host.trace;

/** Hashes text to 64 well-mixed bits, so that string ids can be used as numbers. */
public final class Hash64 {

  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  private Hash64() {}

  static long of(char[] text, int from, int length) {
    long hash = length;
    for (int i = from; i < from + length; i++) {
      hash = (hash ^ text[i]) * MULTIPLIER;
      hash ^= hash >>> 32;
    }
    return mix(hash);
  }

  /** Returns a bijection on 64 bits in which every input bit moves half of the output bits. */
  public static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ (mixed >>> 31);
  }
}
