package dev.ebb.host.plugin.jar;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The plugin folder. */
public final class PluginFolder {

  private PluginFolder() {}

  /** Returns its JARs by name, without hidden, temporary and other files. */
  public static List<Path> jars(Path folder) {
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new UserError(
          "the plugin folder '" + folder + "' is a file; name the folder that contains it");
    }
    if (!Files.isDirectory(folder)) {
      throw new UserError(
          "there is no plugin folder '"
              + folder
              + "'; create it, or choose another with ebb.plugins.folder");
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(PluginFolder::isJar).sorted().toList();
    } catch (IOException unreadable) {
      throw new UserError("cannot read the plugin folder '" + folder + "': " + unreadable);
    }
  }

  private static boolean isJar(Path file) {
    String name = String.valueOf(file.getFileName());
    // A broken link is listed, with its problem.
    return name.endsWith(".jar")
        && !name.startsWith(".")
        && (Files.isRegularFile(file) || Files.isSymbolicLink(file));
  }
}
