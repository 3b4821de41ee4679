package dev.ebb.host.devkit.project;

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
 */
public record Libraries(Path spi, Path testkit) {

  private static final int HASH_BYTES = 4;
  static final String SOURCES = "-sources.jar";

  /**
   * Returns the JARs of the running Ebb.
   *
   * @throws UserError if Ebb does not run from JARs
   */
  public static Libraries running() {
    return new Libraries(jarOf(SpiVersion.class), jarOf(BlockPolicyChecks.class));
  }

  /**
   * Returns their version in a project's own repository, which depends on their contents: Maven
   * caches a release forever, and would compile against an old one.
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

  /**
   * Returns the paths of the contract and its sources in a project with a script, relative to it.
   */
  Map<String, Path> inFolder() {
    String name = "lib/ebb-spi-" + SpiVersion.current();
    Path sources = sources(spi);
    return Files.exists(sources)
        ? Map.of(name + ".jar", spi, name + SOURCES, sources)
        : Map.of(name + ".jar", spi);
  }

  /** Returns the sources, beside the JARs in a build and in an installation. */
  static Path sources(Path jar) {
    String name = String.valueOf(jar.getFileName()).replaceFirst("\\.jar$", SOURCES);
    return jar.resolveSibling("sources").resolve(name);
  }

  private static Path jarOf(Class<?> type) {
    try {
      Path jar = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isRegularFile(jar)) {
        return jar;
      }
      throw new UserError(
          "a project needs the JAR of %s, but Ebb runs from the folder '%s'; run the launcher 'ebb' of a built Ebb"
              .formatted(type.getPackageName(), jar));
    } catch (URISyntaxException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
