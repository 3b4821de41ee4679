package dev.ebb.host.wiring;

import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.TemporaryFolder;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Changes the plugin folder so that watchers never see half of a JAR. */
public final class PluginFiles {

  private final LoadedConfig config;
  private final Path folder;

  /**
   * Creates an installer for a configuration's plugin folder.
   *
   * @param config the folder and its rules
   */
  public PluginFiles(LoadedConfig config) {
    this.config = config;
    folder = config.config().plugins().folder();
  }

  /**
   * The result of a change.
   *
   * @param files the JARs that were written or deleted
   * @param said the same for people, a line each
   * @param found the state of the plugin's JARs in the folder afterwards: file and reason, a line
   *     each
   * @param sha256 the hash of the installed JAR; null if none was installed
   */
  public record Change(
      List<String> files, List<String> said, List<String> found, @Nullable String sha256) {

    /**
     * Returns the same with another state of the folder.
     *
     * @param others in place of {@link #found}
     * @return a copy
     */
    public Change found(List<String> others) {
      return new Change(files, said, others, sha256);
    }
  }

  /**
   * Puts a JAR into the folder, replacing one with that name. It must load, and must not remove a
   * name that the configuration needs.
   *
   * @param replace whether to delete the other JARs of the plugin, of any version
   * @throws UserError if it cannot be loaded, or the folder cannot be written
   */
  public Change install(Path jar, boolean replace) {
    String name = String.valueOf(jar.getFileName());
    if (!name.endsWith(".jar") || name.startsWith(".")) {
      throw new UserError("'%s' must be a file that ends in .jar".formatted(jar));
    }
    if (!Files.isRegularFile(jar)) {
      throw new UserError("there is no file '%s'".formatted(jar));
    }
    if (!Files.isDirectory(folder)) {
      throw new UserError("there is no plugin folder '%s'; create it first".formatted(folder));
    }
    try (TemporaryFolder temporary = TemporaryFolder.create("ebb-install-")) {
      Path trial = temporary.path();
      Path copy = Files.copy(jar, trial.resolve(name));
      readableOnly(copy);
      PluginReport report = tryOut(trial, jar);
      List<Path> others = replace ? others(report, folder.resolve(name)) : List.of();
      ReplacedStrategies lost = checkedNames(trial, report, jar, others);
      Path target = folder.resolve(name);
      boolean replaced = Files.exists(target);
      Path hidden = folder.resolve("." + name + ".tmp");
      Files.copy(copy, hidden, StandardCopyOption.REPLACE_EXISTING);
      readableOnly(hidden);
      Files.move(
          hidden, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      List<String> said = new ArrayList<>(said(report, target, replaced, lost));
      for (Path other : others) {
        Files.deleteIfExists(other);
        said.add("removed " + other);
      }
      return new Change(List.of(target.toString()), said, found(report), report.sha256());
    } catch (IOException failed) {
      throw new UserError("'%s' was not installed: %s".formatted(jar, failed));
    }
  }

  /**
   * Deletes every JAR of a plugin from the folder.
   *
   * @param id the plugin's id
   * @throws UserError if there is none, or it cannot be deleted
   */
  public Change remove(String id) {
    List<PluginReport> reports = FolderScan.at(config).reports();
    List<Path> files =
        reports.stream().filter(each -> id.equals(each.id())).map(PluginReport::file).toList();
    if (files.isEmpty()) {
      List<String> ids =
          reports.stream().map(PluginReport::id).filter(Objects::nonNull).distinct().toList();
      throw new UserError(
          "there is no plugin '%s'%s in '%s'; installed: %s"
              .formatted(id, Suggestions.hint(id, ids), folder, ids));
    }
    List<String> removed = new ArrayList<>();
    for (Path file : files) {
      try {
        Files.deleteIfExists(file);
        removed.add(file.toString());
      } catch (IOException failed) {
        throw new UserError("'%s' was not removed: %s".formatted(file, failed));
      }
    }
    return new Change(
        removed, removed.stream().map(file -> "removed " + file).toList(), List.of(), null);
  }

  /** Returns the other JARs of a plugin in the folder. */
  private List<Path> others(PluginReport newcomer, Path target) {
    return FolderScan.at(config).reports().stream()
        .filter(each -> Objects.equals(each.id(), newcomer.id()))
        .map(PluginReport::file)
        .filter(file -> !file.getFileName().equals(target.getFileName()))
        .toList();
  }

  private PluginReport tryOut(Path trial, Path jar) {
    PluginReport report = FolderScan.at(of(trial)).reports().getFirst();
    if (report.state() != PluginState.LOADED) {
      throw new UserError("'%s' was not installed: %s".formatted(jar, report.reason()));
    }
    return report;
  }

  /**
   * Refuses an ambiguous name: a name that two plugins offer is served by neither, so the active
   * one would stop serving.
   */
  private ReplacedStrategies checkedNames(
      Path trial, PluginReport newcomer, Path jar, List<Path> leaving) throws IOException {
    FolderScan before = FolderScan.at(config);
    for (PluginReport other : before.reports()) {
      boolean matters =
          other.state() == PluginState.LOADED || Objects.equals(other.id(), newcomer.id());
      Path copy = trial.resolve(other.file().getFileName());
      // A JAR with the same name would be replaced.
      if (matters && !leaving.contains(other.file()) && !Files.exists(copy)) {
        readableOnly(Files.copy(other.file(), copy));
      }
    }
    FolderScan after = FolderScan.at(of(trial));
    List<String> fresh =
        after.ambiguous().stream().filter(each -> !before.ambiguous().contains(each)).toList();
    if (!fresh.isEmpty()) {
      throw new UserError(
          "'%s' was not installed: %s; or give yours another name"
              .formatted(jar, String.join("; ", fresh)));
    }
    ReplacedStrategies lost = new ReplacedStrategies(config.config(), before, after);
    UserError.throwIfAny(lost.problems(jar));
    return lost;
  }

  private LoadedConfig of(Path trial) {
    return new LoadedConfig(config.config().withPluginFolder(trial), List.of(), config.tree());
  }

  private static List<String> said(
      PluginReport report, Path target, boolean replaced, ReplacedStrategies lost) {
    List<String> said = new ArrayList<>();
    said.add(
        "%s %s %s as %s"
            .formatted(replaced ? "replaced" : "installed", report.id(), report.version(), target));
    said.add("SHA-256 " + report.sha256());
    said.addAll(lost.warnings(target));
    return List.copyOf(said);
  }

  private List<String> found(PluginReport report) {
    return FolderScan.at(config).reports().stream()
        .filter(each -> Objects.equals(each.id(), report.id()) && !each.reason().isEmpty())
        .map(each -> each.file().getFileName() + ": " + each.reason())
        .toList();
  }

  private static void readableOnly(Path file) throws IOException {
    if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }
  }
}
