package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The examples, built outside Ebb's own build and run by the launcher. */
class ExamplesIT extends PluginFolderTest {

  /** No cost is asserted, and in a smaller heap none is measured with a million entries. */
  private static final String SHORT_MEASUREMENT = "-Debb.verify.measurement=100 -Xmx512m";

  /** Where each example is built once. */
  @TempDir private static Path built = Path.of("");

  @BeforeEach
  void dropFolder() throws IOException {
    DropFolder.putShipped(plugins, "lru", "predictive");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"warm", "two-q", "own-first", "states", "lrb", "key-norm", "best-fit", "mean-gap"})
  void keepTheContract(String example) throws IOException {
    Path jar = build(example);

    Ebb.Run run =
        ebb.withJavaOptions(SHORT_MEASUREMENT).run("plugins", "verify", jar.toString(), "--json");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.json().get("id").asString()).isEqualTo("example-" + example);
    assertThat(run.json().get("checks").size()).isGreaterThan(8);
  }

  @Test
  void areMeasuredWithTheInstalledPolicies() {
    Path jar = build("two-q");

    Ebb.Run run =
        ebb.run("plugins", "bench", jar.toString(), "--requests", "2000", "-c", "10%", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode own = null;
    for (JsonNode each : run.json().get("runs")) {
      own = each.get("policy").asString().equals("two-q") ? each : own;
    }
    assertThat(own).isNotNull();
    assertThat(own.get("hitRatio").asDouble()).isPositive();
    assertThat(own.get("nsPerAccess").asDouble()).isPositive();
    assertThat(run.json().get("memory").size()).isGreaterThan(4);
  }

  @Test
  void aPredictorServesAPolicyOfAnotherPlugin() throws IOException {
    DropFolder.put(build("mean-gap"), plugins, "mean-gap.jar");

    Ebb.Run run = ebb.replayChats("-c", "10%", "-p", "lifetime(predictor=mean-gap,confidence=0.1)");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("runs").get(0).get("hitRatio").asDouble()).isPositive();
  }

  private static Path build(String example) {
    Path jar = built.resolve(example + ".jar");
    if (!Files.exists(jar)) {
      Path script = Ebb.ROOT.resolve("examples/build.sh");
      Shell.run(built, "sh", script.toString(), example, built.toString());
    }
    return jar;
  }
}
