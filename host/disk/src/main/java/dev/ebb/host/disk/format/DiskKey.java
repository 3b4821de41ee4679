package dev.ebb.host.disk.format;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The key of encrypted files. Keys for its uses are derived from it. */
public final class DiskKey {

  private static final int BYTES = 32;
  private static final int MOST_BYTES = 1 << 10;
  private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{64}\\s*");

  private final byte[] key;

  private DiskKey(byte[] key) {
    this.key = key;
  }

  /**
   * Reads 32 bytes, or 64 hexadecimal digits; fails if there are none, or others could read them.
   */
  public static DiskKey read(Path file) {
    if (Files.isDirectory(file)) {
      throw new UserError(
          "ebb.tiers.disk.key-file = '%s' is a folder; name the file with the key".formatted(file));
    }
    try {
      checkRights(file);
      if (Files.size(file) > MOST_BYTES) {
        throw notAKey(file, Files.size(file));
      }
      return of(file, Files.readAllBytes(file));
    } catch (IOException failed) {
      throw new UserError(
          "ebb.tiers.disk.key-file = '%s' cannot be read: %s; create a key with 'openssl rand -hex 32', in a file with mode 600"
              .formatted(file, Reasons.of(failed)));
    }
  }

  public static DiskKey of(Path file, byte[] bytes) {
    if (bytes.length == BYTES) {
      return new DiskKey(bytes);
    }
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    if (!HEX.matcher(text).matches()) {
      throw notAKey(file, bytes.length);
    }
    return new DiskKey(HexFormat.of().parseHex(text.strip()));
  }

  private static UserError notAKey(Path file, long bytes) {
    return new UserError(
        "ebb.tiers.disk.key-file = '%s' has '%d' bytes; it must have 32 bytes, or 64 hexadecimal digits, as 'openssl rand -hex 32' prints them"
            .formatted(file, bytes));
  }

  /** A file of root may be readable by a group, as mounted secrets are. */
  private static void checkRights(Path file) throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return;
    }
    PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
    Set<PosixFilePermission> open =
        EnumSet.of(
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.GROUP_WRITE);
    boolean ofRoot = Integer.valueOf(0).equals(Files.getAttribute(file, "unix:uid"));
    boolean ofThisProcess =
        ofRoot && Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    if (!ofRoot || ofThisProcess) {
      open.add(PosixFilePermission.GROUP_READ);
    }
    open.retainAll(attributes.permissions());
    if (!open.isEmpty()) {
      throw new UserError(
          "ebb.tiers.disk.key-file = '%s' is open to other users (%s); run 'chmod 600 %s'"
              .formatted(file, PosixFilePermissions.toString(attributes.permissions()), file));
    }
  }

  /** Returns a number by which a file knows its key; never 0. */
  public long check(long fileId) {
    byte[] message = ByteBuffer.allocate(Long.BYTES).putLong(fileId).array();
    return ByteBuffer.wrap(derived("check", message)).getLong() | 1;
  }

  byte[] derived(String use, byte[] message) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(("ebb disk " + use + "\0").getBytes(StandardCharsets.US_ASCII));
      return mac.doFinal(message);
    } catch (GeneralSecurityException failed) {
      throw new IllegalStateException(failed);
    }
  }
}
