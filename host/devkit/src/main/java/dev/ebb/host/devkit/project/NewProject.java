package dev.ebb.host.devkit.project;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ShellWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Creates a project that is ready to build: a strategy, its provider, the plugin's manifest, the
 * contract test. It contains copies of the JARs that it needs, with their sources.
 */
public final class NewProject {

  private static final String VERSION = "1.0.0";

  private final ProjectSpec spec;
  private final Libraries libraries;
  private final Map<String, String> texts;

  /**
   * Prepares a project.
   *
   * @param launcher the command for Ebb in its README
   */
  public NewProject(ProjectSpec spec, Libraries libraries, String launcher) {
    this.spec = spec;
    this.libraries = libraries;
    Map<String, String> words = new HashMap<>(spec.words());
    words.put("version", VERSION);
    words.put("ebb", ShellWord.escape(launcher));
    words.put("jar", jar());
    words.put("copy", libraries.version());
    String folder = spec.packageName().replace('.', '/') + "/";
    texts =
        new ProjectTexts(
                spec.kind(), spec.build(), spec.language(), words, UnaryOperator.identity())
            .in(folder, spec.className());
  }

  /** Returns the JAR it builds, relative to its folder. */
  public String jar() {
    return "%s/%s-%s.jar".formatted(spec.build().output(), spec.name(), VERSION);
  }

  /** Returns the build command, as typed in its folder. */
  public String buildCommand() {
    return spec.build().command();
  }

  private Map<String, byte[]> jars() {
    if (spec.build() != ProjectBuild.JAVAC) {
      return ProjectRepository.of(libraries);
    }
    Map<String, byte[]> jars = new HashMap<>();
    libraries.inFolder().forEach((file, jar) -> jars.put(file, ProjectRepository.read(jar)));
    return jars;
  }

  /**
   * Writes the project.
   *
   * @param folder created if it does not exist
   * @return the files written, relative to the folder, sorted
   * @throws UserError if the folder is not empty, or cannot be written
   */
  public List<String> write(Path folder) {
    Map<String, byte[]> jars = jars();
    try {
      checkFree(folder);
      for (Map.Entry<String, String> text : texts.entrySet()) {
        Files.writeString(place(folder, text.getKey()), text.getValue());
      }
      for (Map.Entry<String, byte[]> jar : jars.entrySet()) {
        Files.write(place(folder, jar.getKey()), jar.getValue());
      }
      Path script = folder.resolve("build.sh");
      if (Files.exists(script) && Files.getFileStore(script).supportsFileAttributeView("posix")) {
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    } catch (IOException failed) {
      throw new UserError(
          "'%s' cannot be written: %s; name another folder with --dir"
              .formatted(folder, Reasons.of(failed)));
    }
    return Stream.concat(texts.keySet().stream(), jars.keySet().stream()).sorted().toList();
  }

  private static void checkFree(Path folder) throws IOException {
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new UserError("'%s' is a file; name another folder with --dir".formatted(folder));
    }
    if (Files.isDirectory(folder)) {
      try (Stream<Path> inside = Files.list(folder)) {
        if (inside.findAny().isPresent()) {
          throw new UserError(
              "the folder '%s' is not empty; name another with --dir".formatted(folder));
        }
      }
    }
  }

  static Path place(Path folder, String file) throws IOException {
    Path place = folder.resolve(file);
    Files.createDirectories(place.getParent());
    return place;
  }
}
