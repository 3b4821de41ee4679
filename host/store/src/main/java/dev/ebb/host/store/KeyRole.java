package dev.ebb.host.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The role of a key in a chunk of LMCache, which puts two values for each, under one stem. */
enum KeyRole {
  /** None: a plain key. */
  PLAIN(""),
  /** The chunk's bytes. */
  MAIN("kv_bytes"),
  /** Metadata about them, which belong to the entry of the bytes. */
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

  /** Returns the length of a key of this role without its suffix. */
  int stemLength(byte[] key) {
    return key.length - suffix.length();
  }

  /** Returns the other key of a chunk that has a key of this role. */
  byte[] as(KeyRole other, byte[] key) {
    int stem = stemLength(key);
    byte[] bytes = Arrays.copyOf(key, stem + other.suffix.length());
    byte[] end = other.suffix.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(end, 0, bytes, stem, end.length);
    return bytes;
  }

  private static long word(String suffix) {
    return (long) LONGS.get(suffix.getBytes(StandardCharsets.US_ASCII), 0);
  }
}
