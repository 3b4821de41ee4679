package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Maven's own way to a project for a plugin leads to the same one. */
class ArchetypeIT {

  private static final String VERSION = System.getProperty("ebb.version", "");

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
            "-Debb=" + Ebb.ROOT.resolve("ebb")));
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          lru-2 | -DgroupId=com.acme -Dkind=block | kind: 'block' is none of policy, token-policy, predictor
          LRU2 | -DgroupId=com.acme | artifactId: 'LRU2' is the strategy's name too, and must be lower-case
          lru-2 | -DgroupId=dev.ebb.mine | package: 'dev.ebb.mine' belongs to others
          lru-2 | -DgroupId=com.my-co | package: 'com.my-co' is not a package name
          entry | -DgroupId=com.acme | className: 'Entry' cannot be the name of the strategy's class
          lru-2 | -DgroupId=com.acme -Dversion=abc | version: 'abc' must be a semantic version
          """)
  void refusesWhatTheCommandRefuses(String artifact, String properties, String message) {
    generate.add("-DartifactId=" + artifact);
    generate.addAll(List.of(properties.split(" ", -1)));

    assertThat(Shell.fail(directory, generate.toArray(String[]::new))).contains(message);
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).map(folder::relativize).sorted().toList();
    }
  }
}
