package dev.ebb.host.plugin.jar;

import dev.ebb.host.config.PluginsConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.FileTrust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Refuses files that other users could have written or replaced: they would run with the host's
 * rights.
 */
public final class FolderTrust {

  private static final String WAY_OUT =
      "or set ebb.plugins.allow-writable-folder = true if you trust all users who can";

  private FolderTrust() {}

  public static void checkFolder(Path folder, PluginsConfig config) {
    if (config.allowWritableFolder()) {
      return;
    }
    Set<PosixFilePermission> permissions = permissions(folder);
    if (isWritable(permissions)) {
      throw new UserError(
          "other users can write the plugin folder '%s' (%s), and plugins run with Ebb's rights; run 'chmod go-w %s', %s"
              .formatted(folder, PosixFilePermissions.toString(permissions), folder, WAY_OUT));
    }
    FileTrust.foreignOwner(folder)
        .or(() -> FileTrust.problemAbove(folder))
        .ifPresent(problem -> {
          throw new UserError(
              "cannot trust the plugin folder '%s': %s, and plugins run with Ebb's rights; use a folder that belongs to you or root, below folders that only you or root can write, %s"
                  .formatted(folder, problem, WAY_OUT));
        });
  }

  public static void checkJar(Path file, PluginsConfig config) {
    Set<PosixFilePermission> permissions = permissions(file);
    if (!config.allowWritableFolder() && isWritable(permissions)) {
      throw new PluginRefusal(
          "other users can write it (%s), and it would run with Ebb's rights; run 'chmod go-w %s', %s"
              .formatted(PosixFilePermissions.toString(permissions), file, WAY_OUT));
    }
  }

  private static boolean isWritable(Set<PosixFilePermission> permissions) {
    return permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE);
  }

  private static Set<PosixFilePermission> permissions(Path path) {
    try {
      return Files.getPosixFilePermissions(path);
    } catch (IOException | UnsupportedOperationException notToBeHad) {
      // The code that reads the file reports unreadable ones; other systems have other means.
      return Set.of();
    }
  }
}
