package dev.ebb.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

/**
 * The archive, unpacked in an empty folder where Maven fails.
 *
 * @param home the folder of the launcher
 */
record UnpackedArchive(Path home) {

  static UnpackedArchive in(Path directory) throws IOException {
    Path archive;
    try (Stream<Path> built = Files.list(Ebb.ROOT.resolve("dist/target"))) {
      archive =
          built
              .filter(file -> file.getFileName().toString().matches("ebb-[0-9.]+\\.tar\\.gz"))
              .findFirst()
              .orElseThrow();
    }
    Shell.run(directory, "tar", "xzf", archive.toString());
    Path noMaven = Files.createDirectories(directory.resolve("no-maven")).resolve("mvn");
    Files.writeString(noMaven, "#!/bin/sh\necho 'there is no Maven here' >&2\nexit 99\n");
    Files.setPosixFilePermissions(noMaven, PosixFilePermissions.fromString("rwxr-xr-x"));
    return new UnpackedArchive(
        directory.resolve(archive.getFileName().toString().replace(".tar.gz", "")));
  }

  /** Starts a command in the unpacked folder. */
  ProcessBuilder bare(ProcessBuilder builder) {
    builder.directory(home.toFile()).redirectErrorStream(true);
    builder.environment().put("PATH", home.resolveSibling("no-maven") + ":/usr/bin:/bin");
    Ebb.prepare(builder, "");
    return builder;
  }

  ProcessBuilder ebb(String... arguments) {
    return bare(
        new ProcessBuilder(Stream.concat(Stream.of("./ebb"), Stream.of(arguments)).toList()));
  }
}
