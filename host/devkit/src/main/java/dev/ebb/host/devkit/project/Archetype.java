package dev.ebb.host.devkit.project;

import dev.ebb.host.plugin.jar.SpiRange;
import dev.ebb.spi.SpiVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The files of a Maven archetype for the same projects as {@code ebb plugins new}, from the same
 * templates. The build of the archetype runs it.
 *
 * @see <a href="https://maven.apache.org/archetype/">Maven Archetype</a>
 */
public final class Archetype {

  private static final String KIND = "kind";

  /** The variables of a project, as the archetype's properties. */
  private static final Map<String, String> WORDS =
      Map.of(
          "name", "${artifactId}",
          "class", "${className}",
          "group", "${groupId}",
          "package", "${package}",
          "version", "${version}",
          "jar", "target/${artifactId}-${version}.jar",
          "ebb", "${ebb}");

  private final Libraries libraries;

  public Archetype(Libraries libraries) {
    this.libraries = libraries;
  }

  /**
   * Writes it.
   *
   * @param args two folders: for the archetype's files, and for its tests
   * @throws IOException if a file cannot be written
   */
  public static void main(String[] args) throws IOException {
    Archetype archetype = new Archetype(Libraries.running());
    archetype.write(Path.of(args[0]));
    archetype.writeTests(Path.of(args[1]));
  }

  /**
   * Writes the files of its projects, of all kinds.
   *
   * @throws IOException if a file cannot be written
   */
  public void write(Path folder) throws IOException {
    Map<String, Map<String, String>> byFile = new TreeMap<>();
    for (ProjectKind kind : ProjectKind.values()) {
      texts(kind)
          .forEach((file, text) ->
              byFile.computeIfAbsent(file, any -> new TreeMap<>()).put(kind.toString(), text));
    }
    for (Map.Entry<String, Map<String, String>> file : byFile.entrySet()) {
      String text = Velocity.template(KIND, file.getValue());
      Files.writeString(NewProject.place(folder, file.getKey()), text);
    }
    for (Map.Entry<String, byte[]> jar : ProjectRepository.of(libraries).entrySet()) {
      Files.write(NewProject.place(folder, jar.getKey()), jar.getValue());
    }
  }

  private Map<String, String> texts(ProjectKind kind) {
    Map<String, String> words = new TreeMap<>(WORDS);
    words.put("requires", SpiRange.from(SpiVersion.current()));
    words.put("spi", SpiVersion.current());
    words.put("copy", libraries.version());
    return new ProjectTexts(kind, ProjectBuild.MAVEN, ProjectLanguage.JAVA, words, Velocity::quote)
        .in("", "__className__");
  }

  /**
   * Writes a test for each kind, in the format of the archetype plugin: properties, and the project
   * that {@code ebb plugins new} makes of them.
   *
   * @throws IOException if a file cannot be written
   */
  public void writeTests(Path folder) throws IOException {
    for (ProjectKind kind : ProjectKind.values()) {
      String name = "my-" + kind;
      String properties = "groupId=com.acme.cache\nartifactId=%s\nkind=%s\n".formatted(name, kind);
      Path test = folder.resolve(name);
      Files.writeString(NewProject.place(test, "archetype.properties"), properties);
      Files.writeString(NewProject.place(test, "goal.txt"), "");
      ProjectSpec spec =
          ProjectSpec.of(name, kind, "com.acme.cache", ProjectBuild.MAVEN, ProjectLanguage.JAVA);
      new NewProject(spec, libraries, "ebb").write(test.resolve("reference"));
    }
  }
}
