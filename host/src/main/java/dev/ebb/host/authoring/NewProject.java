package dev.ebb.host.authoring;

import dev.ebb.host.errors.UserError;
import dev.ebb.spi.SpiVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Makes a project that builds as it is: a strategy, its provider, what makes the JAR a plugin, the
 * contract test, and copies of the JARs it is built against.
 */
public final class NewProject {

  private static final String VERSION = "1.0.0";

  private final ProjectSpec spec;
  private final Libraries libraries;
  private final Map<String, String> words;
  private final Map<String, String> texts = new TreeMap<>();

  /**
   * A project to be made.
   *
   * @param spec what it is
   * @param libraries copied into it
   * @param launcher how its author calls Ebb, for the commands in its README
   */
  public NewProject(ProjectSpec spec, Libraries libraries, String launcher) {
    this.spec = spec;
    this.libraries = libraries;
    words = new HashMap<>(spec.words());
    words.put("version", VERSION);
    words.put("ebb", launcher);
    words.put("jar", jar());
    words.put("copy", libraries.version());
    words.put("build", spec.build() == ProjectBuild.MAVEN ? "mvn verify" : "sh build.sh");
    words.put("commands", Template.fill(spec.kind().folder() + "/commands.md", words).strip());
    plan();
  }

  /** The JAR it builds, relative to its folder. */
  public String jar() {
    String folder = spec.build() == ProjectBuild.MAVEN ? "target" : "build";
    return "%s/%s-%s.jar".formatted(folder, spec.name(), VERSION);
  }

  /** What builds it, as typed in its folder. */
  public String buildCommand() {
    return String.valueOf(words.get("build"));
  }

  private void plan() {
    String kind = spec.kind().folder() + "/";
    String code = "src/main/java/" + spec.packageName().replace('.', '/') + "/";
    String own = "src/main/resources/";
    text(code + spec.className() + ".java", kind + "Strategy.java");
    text(code + spec.className() + "Provider.java", kind + "Provider.java");
    text(own + "reference.conf", kind + "reference.conf");
    text(own + "META-INF/services/" + spec.kind().service().getName(), "services");
    text("README.md", "README.md");
    text(".gitignore", "gitignore");
    if (spec.build() == ProjectBuild.MAVEN) {
      text("pom.xml", "pom.xml");
      text(code.replace("/main/", "/test/") + spec.className() + "Test.java", kind + "Test.java");
      text(inRepository("ebb-spi", "pom"), "spi.pom");
      text(inRepository("ebb-spi-testkit", "pom"), "testkit.pom");
    } else {
      text("build.sh", "build.sh");
      text("manifest.txt", "manifest.txt");
    }
  }

  private void text(String file, String template) {
    texts.put(file, Template.fill(template, words));
  }

  private Map<String, Path> jars() {
    return spec.build() == ProjectBuild.MAVEN
        ? Map.of(
            inRepository("ebb-spi", "jar"), libraries.spi(),
            inRepository("ebb-spi-testkit", "jar"), libraries.testkit())
        : Map.of("lib/ebb-spi-%s.jar".formatted(SpiVersion.current()), libraries.spi());
  }

  private String inRepository(String artifact, String type) {
    String version = libraries.version();
    return "repository/dev/ebb/%s/%s/%s-%s.%s"
        .formatted(artifact, version, artifact, version, type);
  }

  /**
   * Writes the project.
   *
   * @param folder made if it is not there
   * @return the files written, relative to the folder, sorted
   * @throws UserError if the folder holds something already, or cannot be written
   */
  public List<String> write(Path folder) {
    try {
      checkFree(folder);
      for (Map.Entry<String, String> text : texts.entrySet()) {
        Files.writeString(place(folder, text.getKey()), text.getValue());
      }
      for (Map.Entry<String, Path> jar : jars().entrySet()) {
        Files.copy(jar.getValue(), place(folder, jar.getKey()));
      }
      Path script = folder.resolve("build.sh");
      if (Files.exists(script) && Files.getFileStore(script).supportsFileAttributeView("posix")) {
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    } catch (IOException failed) {
      throw new UserError("'%s' cannot be written: %s".formatted(folder, failed));
    }
    return Stream.concat(texts.keySet().stream(), jars().keySet().stream()).sorted().toList();
  }

  private static void checkFree(Path folder) throws IOException {
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new UserError("'%s' is a file; name another folder with --dir".formatted(folder));
    }
    if (Files.isDirectory(folder)) {
      try (Stream<Path> inside = Files.list(folder)) {
        if (inside.findAny().isPresent()) {
          throw new UserError(
              "the folder '%s' is not empty, and is left as it is; name another with --dir"
                  .formatted(folder));
        }
      }
    }
  }

  private static Path place(Path folder, String file) throws IOException {
    Path place = folder.resolve(file);
    Files.createDirectories(place.getParent());
    return place;
  }
}
