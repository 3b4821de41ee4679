package dev.ebb.host.engine.request;

import dev.ebb.host.files.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a sequence's full blocks. A key is the first 128 bits of SHA-256 over the previous
 * key and the block's tokens. The first block's previous key is a digest of the namespace. So a key
 * identifies a block and all before it. Two prompts with one key, under one salt or two, take about
 * 2^64 trials to find, and one that matches a given key 2^128.
 */
public final class KeyChain {

  private static final String DOMAIN = "ebb-block-key-1";
  private static final int KEY_BYTES = 16;
  private static final int DIGEST_BYTES = 32;

  private final MessageDigest sha = Sha256.digest();
  private final byte[] digest = new byte[DIGEST_BYTES];

  /** The last key, then the tokens of the block that is not full. */
  private final ByteBuffer block;

  private long[] keys;
  private int count;

  /** All tokens so far; null if they are not kept. */
  private int @Nullable [] kept;

  private int keptCount;

  public KeyChain(Namespace namespace, int blockTokens) {
    block = ByteBuffer.allocate(KEY_BYTES + Integer.BYTES * blockTokens);
    keys = new long[16];
    field(DOMAIN);
    field(namespace.model());
    field(namespace.adapter());
    field(namespace.salt());
    namespace.multimodalHashes().forEach(this::field);
    finish();
  }

  private KeyChain(long[] keys) {
    block = ByteBuffer.allocate(KEY_BYTES);
    this.keys = keys.clone();
    count = keys.length / 2;
  }

  /** Returns a chain whose tokens are unknown, so that none can be added. */
  public static KeyChain ofKeys(long[] keys) {
    return new KeyChain(keys);
  }

  private KeyChain(KeyChain other) {
    block = ByteBuffer.wrap(other.block.array().clone()).position(other.block.position());
    keys = other.keys.clone();
    count = other.count;
    kept = other.kept == null ? null : other.kept.clone();
    keptCount = other.keptCount;
  }

  public KeyChain copy() {
    return new KeyChain(this);
  }

  /** Keeps the tokens that are added from now on. Returns itself. */
  public KeyChain keepTokens() {
    kept = new int[64];
    return this;
  }

  public void add(int... tokens) {
    keep(tokens);
    for (int token : tokens) {
      block.putInt(token);
      if (!block.hasRemaining()) {
        sha.update(block.array());
        finish();
        if (2 * count == keys.length) {
          keys = Arrays.copyOf(keys, keys.length * 2);
        }
        keys[2 * count] = block.getLong(0);
        keys[2 * count + 1] = block.getLong(Long.BYTES);
        count++;
      }
    }
  }

  private void keep(int... tokens) {
    if (kept != null) {
      if (keptCount + tokens.length > kept.length) {
        kept = Arrays.copyOf(kept, Math.max(keptCount + tokens.length, 2 * kept.length));
      }
      System.arraycopy(tokens, 0, kept, keptCount, tokens.length);
      keptCount += tokens.length;
    }
  }

  public int blocks() {
    return count;
  }

  /** Returns the tokens of a block; null if they are not kept. */
  public int @Nullable [] tokens(int index) {
    int size = (block.capacity() - KEY_BYTES) / Integer.BYTES;
    return kept == null ? null : Arrays.copyOfRange(kept, index * size, (index + 1) * size);
  }

  /** Returns whether a block, and all before it, are the same in another chain. */
  public boolean agrees(int index, KeyChain other) {
    return index < count && low(index) == other.low(index) && high(index) == other.high(index);
  }

  /** Returns the first 64 bits of the key of a block. */
  public long low(int index) {
    return keys[2 * index];
  }

  /** Returns the other 64 bits. */
  public long high(int index) {
    return keys[2 * index + 1];
  }

  // Lengths separate the fields: the end of one cannot be mistaken for the beginning of the
  // next.
  private void field(@Nullable String text) {
    byte[] bytes = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    sha.update(length.putInt(0, text == null ? -1 : bytes.length));
    sha.update(bytes);
  }

  private void finish() {
    try {
      sha.digest(digest, 0, DIGEST_BYTES);
    } catch (DigestException impossible) {
      throw new AssertionError(impossible);
    }
    block.clear().put(digest, 0, KEY_BYTES);
  }
}
