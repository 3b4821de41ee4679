package dev.ebb.host.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Configurations for tests, whose folders lie under a temporary one. */
public final class Configs {

  private Configs() {}

  /** The defaults. */
  public static LoadedConfig defaults(Path home) {
    return new ConfigLoader(home, home).load(null);
  }

  /** What a file of this text says. */
  public static LoadedConfig of(Path home, String text) {
    return new ConfigLoader(home, home).load(file(home, text));
  }

  /** Writes {@code ebb.conf}. */
  public static Path file(Path home, String text) {
    try {
      return Files.writeString(home.resolve("ebb.conf"), text);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Writes {@code ebb.conf} with the plugin folder of the home, which it makes. */
  public static Path withPlugins(Path home) {
    return file(
        home, "ebb.plugins { folder = \"%s\", run = \"%s/r\" }".formatted(plugins(home), home));
  }

  /** Makes a file that of another user; returns false if that is not allowed. */
  public static boolean giveAway(Path file) {
    try {
      Files.setAttribute(file, "unix:uid", 12_345);
      return true;
    } catch (IOException | UnsupportedOperationException notRoot) {
      return false;
    }
  }

  /** Makes the plugin folder. */
  public static Path plugins(Path home) {
    try {
      Path folder = Files.createDirectories(home.resolve("plugins"));
      return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
