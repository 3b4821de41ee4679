package dev.ebb.host.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** What a key names of a chunk of LMCache, which puts two values for each, under one stem. */
enum KeyRole {
  /** Nothing: a key is just a key. */
  PLAIN(""),
  /** The chunk's bytes. */
  MAIN("kv_bytes"),
  /** Some facts about them, which belong to the entry of the bytes. */
  ATTACHMENT("metadata");

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MAIN_END = word(MAIN.suffix);
  private static final long ATTACHMENT_END = word(ATTACHMENT.suffix);

  /** Eight characters, or none: a key's end is compared as one number. */
  private final String suffix;

  KeyRole(String suffix) {
    this.suffix = suffix;
  }

  static KeyRole of(byte[] key) {
    if (key.length < Long.BYTES) {
      return PLAIN;
    }
    long end = (long) LONGS.get(key, key.length - Long.BYTES);
    if (end == MAIN_END) {
      return MAIN;
    }
    return end == ATTACHMENT_END ? ATTACHMENT : PLAIN;
  }

  /** How long a key of this role is without what names the role. */
  int stemLength(byte[] key) {
    return key.length - suffix.length();
  }

  private static long word(String suffix) {
    return (long) LONGS.get(suffix.getBytes(StandardCharsets.US_ASCII), 0);
  }
}
