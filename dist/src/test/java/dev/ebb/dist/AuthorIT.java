package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Somebody who has never seen Ebb gets from an empty folder to a plugin that replays. */
class AuthorIT extends PluginFolderTest {

  private Path project;

  @BeforeEach
  void dropFolder() throws IOException {
    DropFolder.putShipped(plugins, "lru", "predictive");
    project = directory.resolve("a project");
  }

  @ParameterizedTest
  @ValueSource(strings = {"token-policy", "token-budget", "predictor", "preemption"})
  void theScriptBuildsAPluginThatIsLoaded(String kind) throws IOException {
    buildAndLoad(kind);
  }

  /** One run of Maven for all kinds, because each takes longer to start than to build. */
  @ParameterizedTest
  @ValueSource(strings = {"java", "kotlin"})
  void mavenBuildsAndTestsPluginsThatAreLoaded(String language) throws IOException {
    assumeTrue(Shell.has("mvn"), "Maven is not on the PATH");
    StringBuilder modules = new StringBuilder();
    List<JsonNode> made = new ArrayList<>();
    for (String kind :
        List.of("policy", "token-policy", "token-budget", "predictor", "preemption")) {
      project = directory.resolve("a " + kind);
      made.add(makeProject("my-" + kind, kind, "maven", language));
      modules.append("<module>a ").append(kind).append("</module>");
    }
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
            .formatted(modules));

    String said = Shell.run(directory, Shell.maven(directory, "verify"));

    assertThat(said).doesNotContain("Exception", "    at ");
    for (JsonNode each : made) {
      project = Path.of(each.get("folder").asString());
      assertThat(project.resolve("target/surefire-reports"))
          .as(said)
          .isDirectoryContaining(report ->
              report.toString().endsWith(".txt")
                  && contentOf(report.toFile())
                      .matches("(?s).*Tests run: [1-9]\\d*, Failures: 0.*"));
      drop(each);
    }
    assertAllLoaded();
  }

  @Test
  void theScriptBuildsAPolicyThatCanBeReplayed() throws IOException {
    buildAndLoad("policy");

    Ebb.Run run = ebb.replayChats("-p", "lru,mine,mine(bonus=600)", "-c", "5%");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("runs").size()).isEqualTo(3);
    run.json()
        .get("runs")
        .forEach(each -> assertThat(each.get("hitRatio").asDouble()).isPositive());
  }

  @Test
  void aNameThatIsTakenIsRefused() {
    Ebb.Run run = ebb.run("plugins", "new", "lru", "--dir", project.toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("ebb: 'lru' is the name of an installed strategy");
    assertThat(project).doesNotExist();
  }

  private JsonNode makeProject(String name, String kind, String build, String language) {
    Ebb.Run run =
        ebb.run(
            "plugins",
            "new",
            name,
            "--kind",
            kind,
            "--build",
            build,
            "--language",
            language,
            "--dir",
            project.toString(),
            "--json");
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.json();
  }

  private void buildAndLoad(String kind) throws IOException {
    JsonNode made = makeProject("mine", kind, "javac", "java");
    String said = Shell.run(project, "sh", "build.sh");
    assertThat(said).contains("built build/mine-1.0.0.jar").doesNotContain("warning");
    drop(made);
    assertAllLoaded();
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
