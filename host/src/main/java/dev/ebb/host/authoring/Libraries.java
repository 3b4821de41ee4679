package dev.ebb.host.authoring;

import dev.ebb.host.errors.UserError;
import dev.ebb.spi.SpiVersion;
import dev.ebb.testkit.BlockPolicyChecks;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/**
 * The JARs that a plugin is built and tested against. A project gets copies of its own, so that it
 * builds anywhere and nothing has to be published.
 *
 * @param spi the contract
 * @param testkit its checks
 */
public record Libraries(Path spi, Path testkit) {

  private static final int HASH_BYTES = 4;

  /**
   * The JARs that are running.
   *
   * @return both
   * @throws UserError if Ebb does not run from JARs
   */
  public static Libraries running() {
    return new Libraries(jarOf(SpiVersion.class), jarOf(BlockPolicyChecks.class));
  }

  /**
   * Their version in a project's own repository, other for other contents: Maven keeps what it has
   * once read of a release, and would compile against it for ever.
   *
   * @return such as {@code 1.0.0-1f0c8a3b}
   * @throws UserError if they cannot be read
   */
  public String version() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(Files.readAllBytes(spi));
      digest.update(Files.readAllBytes(testkit));
      String hash = HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
      return SpiVersion.current() + "-" + hash;
    } catch (IOException unreadable) {
      throw new UserError("Ebb's own JARs cannot be read: " + unreadable);
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Where a project that Maven builds has them, relative to it. */
  Map<String, Path> inRepository() {
    return Map.of(
        inRepository("ebb-spi", version(), "jar"), spi,
        inRepository("ebb-spi-testkit", version(), "jar"), testkit);
  }

  /** Where a project's own repository keeps a file. */
  static String inRepository(String artifact, String version, String type) {
    return "repository/dev/ebb/%s/%s/%s-%s.%s"
        .formatted(artifact, version, artifact, version, type);
  }

  private static Path jarOf(Class<?> type) {
    try {
      Path jar = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isRegularFile(jar)) {
        return jar;
      }
      throw new UserError(
          "a project needs the JAR of %s, and Ebb runs from the folder '%s'; run the launcher 'ebb' of a built Ebb"
              .formatted(type.getPackageName(), jar));
    } catch (URISyntaxException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
