package dev.ebb.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The rules, as Prometheus' own tool reads and executes them. */
class PrometheusRulesTest {

  private static final Path FOLDER = Chart.ROOT.resolve("packaging/prometheus");

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"check rules rules.yaml", "test rules rules-test.yaml"})
  void promtoolAccepts(String command) throws Exception {
    promtool(command);
  }

  @Test
  void theChartHasTheSameRules() throws Exception {
    Object spec = Chart.render("monitoring: {rules: true}").one("PrometheusRule").path("spec");
    assertThat(spec).isEqualTo(Chart.yaml(FOLDER.resolve("rules.yaml")));
    Path file = directory.resolve("rules.json");
    new JsonMapper().writeValue(file.toFile(), spec);

    promtool("check rules " + file);
  }

  private static void promtool(String command) throws IOException, InterruptedException {
    assumeThat(
            Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, "promtool")))
        .as("no promtool here to check the rules")
        .anyMatch(Files::isExecutable);
    List<String> words =
        Stream.concat(Stream.of("promtool"), Stream.of(command.split(" "))).toList();
    Process process =
        new ProcessBuilder(words).directory(FOLDER.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output).contains("SUCCESS");
  }
}
