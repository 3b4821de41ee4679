package dev.ebb.host.cli.replay;

import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.devkit.CandidateFolder;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --jar}: a built JAR takes part as if it were installed. */
final class JarOption {

  @Option(
      names = "--jar",
      paramLabel = "FILE",
      description = "A JAR that is not installed; it replaces an installed one of the same plugin")
  private @Nullable Path jar;

  @Nullable Path path() {
    return jar;
  }

  /**
   * The host with the installed plugins and the JAR.
   *
   * @param folder null without a JAR
   * @param report on the JAR; null without one
   */
  record Opened(Host host, @Nullable CandidateFolder folder, @Nullable PluginReport report)
      implements AutoCloseable {

    /**
     * Checks that the JAR takes part. A predictor may be named by the settings of a policy, a
     * budget by an option.
     *
     * @param named the names of the strategies that are evaluated
     * @throws UserError if the JAR has strategies of this kind, and none is named
     */
    void requireNamed(StrategyKind<?> kind, List<String> named) {
      if (report == null
          || report.strategies().containsKey(StrategyKind.PREDICTOR.plural())
          || report.strategies().containsKey(StrategyKind.TOKEN_BUDGET.plural())) {
        return;
      }
      List<String> own = report.strategies().getOrDefault(kind.plural(), List.of());
      CandidateOptions.requireOne(own, named, report.file().getFileName());
    }

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
   * @param usable the kinds of strategies that the command can use
   * @throws UserError if the configuration is wrong, or the JAR is refused or offers none of these
   */
  Opened open(LoadedConfig loaded, StrategyKind<?>... usable) {
    if (jar == null) {
      return new Opened(Host.open(loaded), null, null);
    }
    CandidateFolder folder = CandidateFolder.of(jar, loaded.orThrow().plugins().folder());
    try {
      Host host = Host.open(loaded.withPluginFolder(folder.folder()));
      try {
        return new Opened(host, folder, CandidateOptions.report(host, folder, usable));
      } catch (RuntimeException refused) {
        host.close();
        throw refused;
      }
    } catch (RuntimeException failed) {
      folder.close();
      throw failed;
    }
  }
}
