package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Attention over what each shipped token policy leaves in the pool is attention over everything
 * with the dropped tokens masked out: its JAR as it is shipped, in an engine in a process of its
 * own, in host memory and on the driver over host memory in place of a card. In host memory its
 * steps allocate nothing on the heap.
 */
class MaskedAttentionIT {

  private static final double CLOSE = 1e-5;

  @TempDir private static Path classes = Path.of("");

  @SuppressWarnings("NullAway.Init")
  private static CompiledProgram engine;

  @SuppressWarnings("NullAway.Init")
  private static List<String> policies;

  @TempDir private Path directory;

  @BeforeAll
  static void compile() throws IOException, URISyntaxException {
    URL source = MaskedAttentionIT.class.getResource("/engines/MaskedAttention.java");
    engine =
        CompiledProgram.of(
            Path.of(Objects.requireNonNull(source).toURI()),
            classes,
            CompiledProgram.jars(Ebb.ROOT.resolve("dist/target/ebb/lib")));
    policies = policies(new Ebb(classes));
  }

  @Test
  void isThatWithoutTheDroppedTokensInHostMemory() throws Exception {
    check("host", Map.of());
  }

  @Test
  void isThatWithoutTheDroppedTokensOnACard() throws Exception {
    Process build =
        new ProcessBuilder(
                "sh",
                Ebb.ROOT.resolve("host/cuda/src/test/c/fakecuda/build.sh").toString(),
                directory.toString())
            .redirectErrorStream(true)
            .start();
    String output = text(build);
    assumeTrue(build.waitFor() != 127, "no C compiler to build the test driver with");
    assertThat(build.exitValue()).as(output).isZero();
    check("cuda", Map.of("LD_LIBRARY_PATH", directory.toString()));
  }

  private void check(String device, Map<String, String> environment) throws Exception {
    List<String> command = new ArrayList<>(List.of("MaskedAttention", Ebb.ROOT.toString(), device));
    command.addAll(policies);
    Path log = directory.resolve("err");
    ProcessBuilder builder =
        engine
            .process(command.toArray(String[]::new))
            .directory(directory.toFile())
            .redirectError(log.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    List<String> lines = text(process).lines().toList();
    assertThat(process.waitFor()).as(Files.readString(log)).isZero();

    assertThat(lines).hasSameSizeAs(policies);
    for (int i = 0; i < lines.size(); i++) {
      String[] found = lines.get(i).split(" ", -1);
      assertThat(policies.get(i)).startsWith(found[0] + ":");
      assertThat(Integer.parseInt(found[1]))
          .as("tokens dropped: %s", lines.get(i))
          .isGreaterThan(60);
      assertThat(Integer.parseInt(found[2])).as("passes: %s", lines.get(i)).isGreaterThan(10);
      assertThat(Integer.parseInt(found[3])).as("failures: %s", lines.get(i)).isZero();
      assertThat(Double.parseDouble(found[4])).as(lines.get(i)).isBetween(0.0, CLOSE);
      if (device.equals("host") && policies.get(i).endsWith(":1")) {
        // With different lengths per head, the results differ from step to step and are computed
        // again.
        assertThat(Long.parseLong(found[5])).as("bytes allocated: %s", lines.get(i)).isZero();
      }
    }
  }

  /** Those that the shipped JARs offer, and the names that stand for one with a budget rule. */
  private static List<String> policies(Ebb ebb) {
    List<String> policies = new ArrayList<>();
    for (JsonNode plugin : ebb.run("plugins", "list", "--json").json().get("plugins")) {
      for (JsonNode name : plugin.get("strategies").path("token-policies")) {
        // The budget of cake gives layers different lengths, which needs a lane group for each.
        policies.add(name.asString() + (name.asString().equals("cake") ? ":4" : ":1"));
      }
    }
    assertThat(policies)
        .contains("sliding-window:1", "snapkv:1", "h2o:1", "knorm:1", "expected-attention:1");
    // So do these, for heads too.
    policies.addAll(List.of("pyramidkv:4", "adakv:4", "ada-expected-attention:4"));
    return policies;
  }

  private static String text(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
