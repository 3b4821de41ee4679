package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Somebody who has never seen Ebb gets from an empty folder to a plugin that replays. */
class AuthorIT extends PluginFolderTest {

  private static final List<String> KINDS =
      List.of("policy", "token-policy", "token-budget", "predictor", "preemption");

  private Path project;

  @BeforeEach
  void dropFolder() throws IOException {
    DropFolder.putShipped(plugins, "lru", "predictive");
    project = directory.resolve("a project");
  }

  @Test
  void theScriptBuildsPluginsOfAllKindsThatAreLoadedAndReplayed() throws Exception {
    for (JsonNode made : makeProjects("my-", "javac", "java")) {
      project = Path.of(made.get("folder").asString());
      String said = Shell.run(project, "sh", "build.sh");
      assertThat(said).contains("built " + made.get("jar").asString()).doesNotContain("warning");
      drop(made);
    }
    assertAllLoaded();

    Ebb.Run run = ebb.replayChats("-p", "lru,my-policy,my-policy(bonus=600)", "-c", "5%");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("runs").size()).isEqualTo(3);
    run.json()
        .get("runs")
        .forEach(each -> assertThat(each.get("hitRatio").asDouble()).isPositive());
  }

  /**
   * One run of Maven for all projects, because each takes longer to start than to build. A project
   * of each language gets the sources of all kinds: beside its name, its build is the same.
   */
  @Test
  void mavenBuildsAndTestsPluginsThatAreLoaded() throws Exception {
    assumeTrue(Shell.has("mvn"), "Maven is not on the PATH");
    List<JsonNode> made =
        List.of(
            merge(makeProjects("my-", "maven", "java")),
            merge(makeProjects("our-", "maven", "kotlin")));
    Files.writeString(
        directory.resolve("pom.xml"),
        """
        <project>
          <modelVersion>4.0.0</modelVersion>
          <groupId>mine</groupId>
          <artifactId>all</artifactId>
          <version>1</version>
          <packaging>pom</packaging>
          <modules>%s</modules>
        </project>
        """
            .formatted(
                made.stream()
                    .map(each -> Path.of(each.get("folder").asString()).getFileName())
                    .map("<module>%s</module>"::formatted)
                    .collect(Collectors.joining())));

    String said =
        Shell.run(directory, Shell.maven(directory, "verify", "-Dkotlin.compiler.daemon=false"));

    assertThat(said).doesNotContain("Exception", "    at ");
    for (JsonNode each : made) {
      project = Path.of(each.get("folder").asString());
      assertThat(passedTests(project)).as(said).isEqualTo(KINDS.size());
      drop(each);
    }
    assertAllLoaded();
  }

  /** Adds the sources of all projects to the first one, and returns that. */
  private static JsonNode merge(List<JsonNode> projects) throws IOException {
    Path first = Path.of(projects.getFirst().get("folder").asString());
    for (JsonNode each : projects.subList(1, projects.size())) {
      Path folder = Path.of(each.get("folder").asString());
      assertThat(build(folder)).isEqualTo(build(first));
      addSources(folder, first);
    }
    return projects.getFirst();
  }

  /** Returns the build of a project, without its name and its package. */
  private static String build(Path project) throws IOException {
    String name = project.getFileName().toString().replaceFirst(" ", "-");
    return Files.readString(project.resolve("pom.xml"))
        .replace(name, "NAME")
        .replace(name.replace("-", ""), "NAME");
  }

  /** Adds the sources of a project to those of another one, which has other classes. */
  private static void addSources(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from.resolve("src"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = to.resolve(from.relativize(file));
        Files.createDirectories(target.getParent());
        // Each project has settings in a file of that name.
        if (file.endsWith("reference.conf")) {
          Files.writeString(target, Files.readString(file), StandardOpenOption.APPEND);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  /** Returns how many test classes of a project ran and passed. */
  private static long passedTests(Path project) throws IOException {
    try (Stream<Path> reports = Files.list(project.resolve("target/surefire-reports"))) {
      return reports
          .filter(report -> report.toString().endsWith(".txt"))
          .filter(report ->
              contentOf(report.toFile()).matches("(?s).*Tests run: [1-9]\\d*, Failures: 0.*"))
          .count();
    }
  }

  @Test
  void aNameThatIsTakenIsRefused() {
    Ebb.Run run = ebb.run("plugins", "new", "lru", "--dir", project.toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("ebb: 'lru' is the name of an installed strategy");
    assertThat(project).doesNotExist();
  }

  /** Makes a project of each kind, in a folder with a space in its name. */
  private List<JsonNode> makeProjects(String prefix, String build, String language)
      throws Exception {
    CommandSeries commands = new CommandSeries(directory);
    for (String kind : KINDS) {
      String folder = directory.resolve(prefix.replace('-', ' ') + kind).toString();
      commands.add(
          "plugins",
          "new",
          prefix + kind,
          "--kind",
          kind,
          "--build",
          build,
          "--language",
          language,
          "--dir",
          folder,
          "--json");
    }
    List<JsonNode> made = new ArrayList<>();
    for (Ebb.Run run : commands.run()) {
      assertThat(run.exitCode()).as(run.err()).isZero();
      made.add(run.json());
    }
    return made;
  }

  private void drop(JsonNode made) throws IOException {
    Path jar = project.resolve(made.get("jar").asString());
    assertThat(jar).exists();
    DropFolder.put(jar, plugins, jar.getFileName().toString());
  }

  private void assertAllLoaded() {
    for (JsonNode plugin : ebb.run("plugins", "list", "--json").json().get("plugins")) {
      assertThat(plugin.get("state").asString()).as(plugin.toString()).isEqualTo("loaded");
    }
  }
}
