package dev.ebb.host.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import dev.ebb.host.config.ConfigTree.Source;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.hocon.HoconFile;
import dev.ebb.host.config.hocon.Origins;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.FileTrust;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds, parses and checks the configuration. Reads files again at each call. */
public final class ConfigLoader {

  /** The default file, read if it exists. */
  public static final String DEFAULT_FILE = "ebb.conf";

  private final Path workingDirectory;
  private final Path home;

  /**
   * Creates a loader.
   *
   * @param home the base of relative folders
   */
  public ConfigLoader(Path workingDirectory, Path home) {
    this.workingDirectory = workingDirectory;
    this.home = home;
  }

  /**
   * Returns the loader of this process: the home is the system property {@code ebb.home}, otherwise
   * the working directory.
   */
  public static ConfigLoader ofProcess() {
    Path here = Path.of("");
    return new ConfigLoader(here, Path.of(System.getProperty("ebb.home", "")).toAbsolutePath());
  }

  /**
   * Reads the configuration.
   *
   * @param file the user's file; null for {@value #DEFAULT_FILE} if there is one
   * @throws UserError if the file cannot be read or parsed at all
   */
  public LoadedConfig load(@Nullable Path file) {
    return load(file, "");
  }

  /**
   * Reads the configuration, with settings that override the file.
   *
   * @param file the user's file; null for {@value #DEFAULT_FILE} if there is one
   * @param settings HOCON
   */
  public LoadedConfig load(@Nullable Path file, String settings) {
    Source source = new Source(chosen(file), () -> load(file, settings));
    Config before = bounded("settings", () -> parseSettings(settings));
    return bounded(
        chosen(file).toString(),
        () -> {
          Config both = before.withFallback(parseUser(file));
          return new ConfigTree(both, home, source).load();
        });
  }

  /**
   * Reads the configuration, with values that override the file.
   *
   * @param file the user's file; null for {@value #DEFAULT_FILE} if there is one
   */
  public LoadedConfig load(@Nullable Path file, List<ConfigOverride> overrides) {
    Source source = new Source(chosen(file), () -> load(file, overrides));
    return bounded(
        chosen(file).toString(),
        () -> new ConfigTree(parseUser(file), home, source).with(overrides));
  }

  /** Reads HOCON; nesting that is too deep overflows the stack of its library. */
  private static <T> T bounded(String where, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (StackOverflowError endOfStack) {
      throw new UserError(
          where + ": it is nested too deep; use fewer levels of sections, lists and keys");
    }
  }

  private Path chosen(@Nullable Path file) {
    return file == null ? workingDirectory.resolve(DEFAULT_FILE) : file;
  }

  private Config parseUser(@Nullable Path file) {
    Path chosen = chosen(file);
    if (file == null && !Files.exists(chosen)) {
      return ConfigFactory.empty();
    }
    if (Files.isDirectory(chosen)) {
      throw new UserError(
          "the configuration '%s' is a directory; name a file, such as '%s'"
              .formatted(chosen, chosen.resolve(DEFAULT_FILE).normalize()));
    }
    if (!Files.isRegularFile(chosen)) {
      throw new UserError("no configuration file '" + chosen + "'");
    }
    if (file == null) {
      checkOwner(chosen);
    }
    checkPermissions(chosen);
    return HoconFile.parse(chosen);
  }

  /** Refuses a file that nobody named and that another user has put there. */
  private static void checkOwner(Path chosen) {
    FileTrust.foreignOwner(chosen)
        .or(() -> FileTrust.problemAbove(chosen))
        .ifPresent(problem -> {
          throw new UserError(
              "'%s' in the working directory may be the work of another user: %s; if you trust this user, name the file with --config %s, otherwise work in another directory"
                  .formatted(chosen, problem, chosen));
        });
  }

  /** Refuses a file that other users could change: it chooses the plugins, for example. */
  public static void checkPermissions(Path file) {
    FileTrust.writable(file)
        .or(() -> FileTrust.writableAbove(file))
        .ifPresent(problem -> {
          throw new UserError(
              "cannot trust the configuration file '%s': %s, and Ebb loads the plugins that the file names; run 'chmod go-w' on it, or move the file to a folder of yours"
                  .formatted(file, problem));
        });
  }

  private static Config parseSettings(String settings) {
    try {
      return HoconFile.resolve(
          ConfigFactory.parseString(
              settings, ConfigParseOptions.defaults().setOriginDescription("settings")));
    } catch (ConfigException error) {
      throw new UserError(Origins.message(error));
    }
  }
}
