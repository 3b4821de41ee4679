package dev.ebb.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Plugin folders that only their owner can write, whatever the mask for new files is. */
final class DropFolder {

  private DropFolder() {}

  static Path in(Path directory) throws IOException {
    Path folder = Files.createDirectory(directory.resolve("plugins"));
    return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Copies plugins of the release. */
  static void putShipped(Path folder, String... names) throws IOException {
    for (String name : names) {
      String jar = "ebb-plugin-" + name + ".jar";
      put(Ebb.ROOT.resolve("plugins").resolve(jar), folder, jar);
    }
  }

  static void put(Path jar, Path folder, String name) throws IOException {
    Path copy = Files.copy(jar, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
  }
}
