package dev.ebb.host.cli;

import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.devkit.CandidateFolder;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --jar}: a built JAR takes part as if it were installed. */
final class JarOption {

  @Option(
      names = "--jar",
      paramLabel = "FILE",
      description = "A JAR that is not installed; it replaces an installed one of the same plugin")
  private @Nullable Path jar;

  /**
   * The host with the installed plugins and the JAR.
   *
   * @param folder null without a JAR
   */
  record Opened(@Nullable CandidateFolder folder, Host host) implements AutoCloseable {

    @Override
    public void close() {
      host.close();
      if (folder != null) {
        folder.close();
      }
    }
  }

  /**
   * Loads the plugins.
   *
   * @throws dev.ebb.host.errors.UserError if the configuration is wrong, or the JAR is refused
   */
  Opened open(LoadedConfig loaded) {
    if (jar == null) {
      return new Opened(null, Host.open(loaded));
    }
    CandidateFolder folder = CandidateFolder.of(jar, loaded.orThrow().plugins().folder());
    try {
      Opened opened = new Opened(folder, Host.open(loaded.withPluginFolder(folder.folder())));
      try {
        CandidateOptions.report(opened.host(), folder);
        return opened;
      } catch (RuntimeException refused) {
        opened.host().close();
        throw refused;
      }
    } catch (RuntimeException failed) {
      folder.close();
      throw failed;
    }
  }
}
