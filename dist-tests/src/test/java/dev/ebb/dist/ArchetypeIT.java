package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import groovy.lang.Binding;
import groovy.lang.GroovyShell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Maven's own way to a project for a plugin leads to the same one. */
class ArchetypeIT {

  private static final String VERSION = System.getProperty("ebb.version", "");

  private static final Path SCRIPT =
      Ebb.ROOT.resolve("archetype/src/main/resources/META-INF/archetype-post-generate.groovy");

  @TempDir private Path directory;
  private List<String> generate = List.of();

  @BeforeEach
  void installArchetype() throws IOException {
    assumeTrue(Shell.has("mvn"), "Maven is not on the PATH");
    Path built = Ebb.ROOT.resolve("archetype/target/ebb-archetype-%s.jar".formatted(VERSION));
    assumeTrue(Files.exists(built), "the module archetype is not built");
    generate =
        new ArrayList<>(
            List.of(
                Shell.maven(
                    directory,
                    "org.apache.maven.plugins:maven-archetype-plugin:%s:generate"
                        .formatted(System.getProperty("ebb.archetype.version")),
                    "-DarchetypeCatalog=internal",
                    "-DarchetypeGroupId=dev.ebb",
                    "-DarchetypeArtifactId=ebb-archetype",
                    "-DarchetypeVersion=" + VERSION)));
    Path installed = directory.resolve("m2/dev/ebb/ebb-archetype").resolve(VERSION);
    Files.copy(built, Files.createDirectories(installed).resolve(built.getFileName()));
  }

  @Test
  void makesWhatTheCommandMakes() throws IOException {
    generate.addAll(
        List.of(
            "-DgroupId=com.acme.cache",
            "-DartifactId=lru-2",
            "-Dkind=token-policy",
            "-Debb=" + Ebb.launcher()));
    Shell.run(directory, generate.toArray(String[]::new));
    Path reference = directory.resolve("reference");
    Ebb.Run run =
        new Ebb(directory)
            .run(
                "plugins",
                "new",
                "lru-2",
                "--kind",
                "token-policy",
                "--package",
                "com.acme.cache",
                "--dir",
                reference.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    List<Path> files = files(reference);
    Path made = directory.resolve("lru-2");
    assertThat(files(made)).containsExactlyElementsOf(files);
    for (Path file : files) {
      assertThat(made.resolve(file)).hasSameBinaryContentAs(reference.resolve(file));
    }
  }

  @Test
  void refusesWhatTheCommandRefuses() {
    generate.addAll(List.of("-DartifactId=entry", "-DgroupId=com.acme"));

    assertThat(Shell.fail(directory, generate.toArray(String[]::new)))
        .contains("className: 'Entry' cannot be the name of the strategy's class");
  }

  /** Without Maven, which takes seconds to start. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          lru-2 | com.acme     | block        | 1.0.0 | kind: 'block' is none of policy, token-policy, token-budget, predictor, preemption
          LRU2  | com.acme     | policy       | 1.0.0 | artifactId: 'LRU2' is the strategy's name too, and must be lower-case
          lru-2 | dev.ebb.mine | token-policy | 1.0.0 | package: 'dev.ebb.mine' belongs to others
          lru-2 | com.my-co    | policy       | 1.0.0 | package: 'com.my-co' is not a package name
          lru-2 | com.acme     | predictor    | abc   | version: 'abc' must be a semantic version
          """)
  void itsScriptRefusesToo(
      String artifact, String packageName, String kind, String version, String message)
      throws IOException {
    Files.createDirectories(directory.resolve(artifact).resolve("repository/dev/ebb/ebb-spi"));
    Map<String, String> request =
        Map.of("outputDirectory", directory.toString(), "package", packageName);
    Binding variables = new Binding();
    Map.of(
            "request", request,
            "artifactId", artifact,
            "className", "Lru2",
            "kind", kind,
            "version", version)
        .forEach(variables::setVariable);

    assertThatThrownBy(() -> new GroovyShell(variables).evaluate(SCRIPT.toFile()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).map(folder::relativize).sorted().toList();
    }
  }
}
