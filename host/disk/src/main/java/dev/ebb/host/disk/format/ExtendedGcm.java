package dev.ebb.host.disk.format;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * XAES-256-GCM, as specified at https://c2sp.org/XAES-256-GCM: AES-256-GCM with a key of its own
 * for each message, derived from the first half of a nonce of 24 bytes.
 *
 * <p>AES-GCM is broken by a nonce that is used twice with one key. What a log could count does not
 * survive each crash: a record may be partly on the disk, and not be found again, when its offset,
 * its generation and its stamp are used for another one. So nonces are random; those of plain GCM
 * are too short for that, and 24 bytes are enough for more messages than disks can hold.
 * Thread-safe.
 */
public final class ExtendedGcm {

  public static final int NONCE_BYTES = 24;
  public static final int TAG_BYTES = 16;

  private static final int BLOCK = 16;
  private static final int HALF = NONCE_BYTES / 2;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SecretKeySpec key;

  /** The subkey K1 of CMAC. */
  private final byte[] subkey;

  public ExtendedGcm(byte[] key) {
    this.key = new SecretKeySpec(key, "AES");
    subkey = block(new byte[BLOCK], BLOCK);
    int carry = (subkey[0] & 0x80) == 0 ? 0 : 0x87;
    for (int i = 0; i < BLOCK; i++) {
      int next = i + 1 < BLOCK ? (subkey[i + 1] & 0xFF) >>> 7 : 0;
      subkey[i] = (byte) (subkey[i] << 1 | next);
    }
    subkey[BLOCK - 1] ^= (byte) carry;
  }

  static byte[] newNonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    return nonce;
  }

  /** Encrypts bytes; the tag follows them. */
  public void seal(byte[] nonce, byte[] header, byte[] from, int length, byte[] to) {
    try {
      Cipher cipher = cipher(Cipher.ENCRYPT_MODE, nonce);
      cipher.updateAAD(header);
      cipher.doFinal(from, 0, length, to, 0);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Decrypts bytes with their tag; returns whether they are those that were encrypted. */
  public boolean open(byte[] nonce, byte[] header, byte[] from, int length, byte[] to) {
    try {
      Cipher cipher = cipher(Cipher.DECRYPT_MODE, nonce);
      cipher.updateAAD(header);
      cipher.doFinal(from, 0, length, to, 0);
      return true;
    } catch (GeneralSecurityException damaged) {
      return false;
    }
  }

  /** Decrypts the first bytes of a message, without its tag: GCM encrypts as CTR, from 2 on. */
  public byte[] start(byte[] nonce, byte[] from) {
    try {
      byte[] counter = new byte[BLOCK];
      System.arraycopy(nonce, HALF, counter, 0, HALF);
      counter[BLOCK - 1] = 2;
      Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
      cipher.init(Cipher.DECRYPT_MODE, derived(nonce), new IvParameterSpec(counter));
      return cipher.doFinal(from);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        mode,
        derived(nonce),
        new GCMParameterSpec(TAG_BYTES * Byte.SIZE, Arrays.copyOfRange(nonce, HALF, NONCE_BYTES)));
    return cipher;
  }

  private SecretKeySpec derived(byte[] nonce) {
    byte[] blocks = new byte[2 * BLOCK];
    for (int i = 0; i < 2; i++) {
      int at = i * BLOCK;
      blocks[at + 1] = (byte) (i + 1);
      blocks[at + 2] = 'X';
      System.arraycopy(nonce, 0, blocks, at + 4, HALF);
      for (int j = 0; j < BLOCK; j++) {
        blocks[at + j] ^= subkey[j];
      }
    }
    return new SecretKeySpec(block(blocks, blocks.length), "AES");
  }

  /** Encrypts single blocks. */
  byte[] block(byte[] blocks, int length) {
    try {
      Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
      cipher.init(Cipher.ENCRYPT_MODE, key);
      return cipher.doFinal(blocks, 0, length);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }
}
