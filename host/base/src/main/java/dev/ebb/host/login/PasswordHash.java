package dev.ebb.host.login;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.spec.KeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A password as it is stored: {@code pbkdf2-sha256:<iterations>:<salt>:<hash>}, the last two in
 * Base64. It is computed with PBKDF2 and HMAC-SHA256, which takes a part of a second on purpose.
 */
public final class PasswordHash {

  /** What users see of the format. */
  public static final String FORMAT =
      "pbkdf2-sha256:<iterations>:<salt>:<hash> with 100000 to 10000000 iterations";

  /** The iterations of new hashes. */
  static final int ITERATIONS = 600_000;

  private static final int LEAST_ITERATIONS = 100_000;
  private static final int MOST_ITERATIONS = 10_000_000;
  private static final int SALT_BYTES = 16;
  private static final int HASH_BYTES = 32;

  private static final Pattern TEXT =
      Pattern.compile("pbkdf2-sha256:([1-9][0-9]{5,7}):([A-Za-z0-9+/]{22}==):([A-Za-z0-9+/]{43}=)");

  private final int iterations;
  private final byte[] salt;
  private final byte[] hash;

  private PasswordHash(int iterations, byte[] salt, byte[] hash) {
    this.iterations = iterations;
    this.salt = salt;
    this.hash = hash;
  }

  public static PasswordHash of(char[] password) {
    return of(password, ITERATIONS);
  }

  /** Returns the hash of a password with a new salt; 100,000 to 10,000,000 iterations. */
  public static PasswordHash of(char[] password, int iterations) {
    if (!isAllowed(iterations)) {
      throw new IllegalArgumentException(
          "iterations '%d' must be %d to %d"
              .formatted(iterations, LEAST_ITERATIONS, MOST_ITERATIONS));
    }
    byte[] salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    return new PasswordHash(iterations, salt, derive(password, salt, iterations));
  }

  /**
   * Returns a hash that no password has, and that takes as long to check as the slowest of the
   * others.
   */
  public static PasswordHash unknown(Collection<PasswordHash> others) {
    int most = others.stream().mapToInt(other -> other.iterations).max().orElse(ITERATIONS);
    return new PasswordHash(most, new byte[SALT_BYTES], new byte[HASH_BYTES]);
  }

  /** Returns the hash that a text contains; empty if it is none. */
  public static Optional<PasswordHash> parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches() || !isAllowed(Integer.parseInt(parts.group(1)))) {
      return Optional.empty();
    }
    try {
      Base64.Decoder decoder = Base64.getDecoder();
      return Optional.of(
          new PasswordHash(
              Integer.parseInt(parts.group(1)),
              decoder.decode(parts.group(2)),
              decoder.decode(parts.group(3))));
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }

  private static boolean isAllowed(int iterations) {
    return iterations >= LEAST_ITERATIONS && iterations <= MOST_ITERATIONS;
  }

  /** Returns whether a password in UTF-8 is the right one. Takes a part of a second. */
  public boolean matches(byte[] password) {
    char[] decoded = decoded(password);
    byte[] given = derive(decoded == null ? new char[0] : decoded, salt, iterations);
    return MessageDigest.isEqual(hash, given) && decoded != null;
  }

  private static char @Nullable [] decoded(byte[] password) {
    try {
      CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(password));
      return Arrays.copyOfRange(text.array(), text.arrayOffset(), text.limit());
    } catch (CharacterCodingException notUtf8) {
      return null;
    }
  }

  private static byte[] derive(char[] password, byte[] salt, int iterations) {
    try {
      KeySpec spec = new PBEKeySpec(password, salt, iterations, HASH_BYTES * Byte.SIZE);
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Java lacks PBKDF2 with HMAC-SHA256", impossible);
    }
  }

  public String encoded() {
    Base64.Encoder encoder = Base64.getEncoder();
    return "pbkdf2-sha256:%d:%s:%s"
        .formatted(iterations, encoder.encodeToString(salt), encoder.encodeToString(hash));
  }

  /** Returns nothing that helps to guess the password. */
  @Override
  public String toString() {
    return "password hash";
  }
}
