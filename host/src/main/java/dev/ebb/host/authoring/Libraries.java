package dev.ebb.host.authoring;

import dev.ebb.host.errors.UserError;
import dev.ebb.spi.SpiVersion;
import dev.ebb.testkit.BlockPolicyChecks;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The JARs that a plugin is built and tested against. A project gets copies of its own, so that it
 * builds anywhere and nothing has to be published.
 *
 * @param spi the contract
 * @param testkit its checks
 */
public record Libraries(Path spi, Path testkit) {

  /**
   * The JARs that are running.
   *
   * @return both
   * @throws UserError if Ebb does not run from JARs
   */
  public static Libraries running() {
    return new Libraries(jarOf(SpiVersion.class), jarOf(BlockPolicyChecks.class));
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
