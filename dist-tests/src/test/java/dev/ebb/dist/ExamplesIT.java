package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The examples, built outside Ebb's own build and run by the launcher. */
class ExamplesIT extends PluginFolderTest {

  private static final List<String> EXAMPLES =
      List.of("warm", "own-first", "states", "lrb", "key-norm", "best-fit", "mean-gap");

  /** No cost is asserted. */
  private static final String SHORT_MEASUREMENT = "-Debb.verify.measurement=20";

  private static final String BY_SCRIPT = "two-q";

  /** Where each example is built once. */
  @TempDir private static Path built = Path.of("");

  @BeforeEach
  void dropFolder() throws IOException {
    DropFolder.putShipped(plugins, "lru", "predictive");
  }

  @Test
  void keepsTheContract() throws IOException {
    Path jar = build(BY_SCRIPT);

    Ebb.Run run =
        ebb.withJavaOptions(SHORT_MEASUREMENT).run("plugins", "verify", jar.toString(), "--json");

    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.json().get("id").asString()).isEqualTo("example-" + BY_SCRIPT);
    assertThat(run.json().get("checks").size()).isGreaterThan(8);
  }

  /** In one process: that each verification has one of its own takes most of their time. */
  @Test
  void allKeepTheContract() throws Exception {
    if (Rounds.usual()) {
      // Each victim is the best of so many, with the longest search of all examples.
      Files.writeString(
          directory.resolve("ebb.conf"),
          "\nebb.eviction.policies.lrb.samples = 8\n",
          StandardOpenOption.APPEND);
    }
    CommandSeries commands = new CommandSeries(directory, SHORT_MEASUREMENT, "-Xmx512m");
    for (String example : EXAMPLES) {
      commands.add("plugins", "verify", "--steps", build(example).toString());
    }

    List<Ebb.Run> runs = commands.run();

    for (int i = 0; i < EXAMPLES.size(); i++) {
      Ebb.Run run = runs.get(i);
      assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
      String last = run.out().lines().toList().getLast();
      JsonNode verdict =
          new ObjectMapper().readTree(last.substring(last.indexOf('{'))).get("verdict");
      assertThat(verdict.get("id").asString()).isEqualTo("example-" + EXAMPLES.get(i));
      assertThat(verdict.get("findings").size()).isGreaterThan(8);
      for (JsonNode finding : verdict.get("findings")) {
        assertThat(finding.get("passed").asBoolean()).as(finding.toString()).isTrue();
      }
    }
  }

  @Test
  void areMeasuredWithTheInstalledPolicies() throws IOException {
    Path jar = build(BY_SCRIPT);

    Ebb.Run run =
        ebb.run("plugins", "bench", jar.toString(), "--requests", "500", "-c", "10%", "--json");

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

  @Test
  void theScriptNamesTheExamples() {
    String script = Ebb.ROOT.resolve("examples/build.sh").toString();

    assertThat(Shell.fail(built, "sh", script, "nope", built.toString()))
        .isEqualToIgnoringNewLines(
            "there is no example 'nope'; take one of: best-fit key-norm lrb mean-gap own-first"
                + " states two-q warm");
  }

  /** With the script, or as the script does it, but in this process. */
  private static Path build(String example) throws IOException {
    Path jar = built.resolve(example + ".jar");
    if (Files.exists(jar)) {
      return jar;
    }
    if (example.equals(BY_SCRIPT) || !Rounds.usual()) {
      Path script = Ebb.ROOT.resolve("examples/build.sh");
      Shell.run(built, "sh", script.toString(), example, built.toString());
      return jar;
    }
    Path source = Ebb.ROOT.resolve("examples").resolve(example);
    Path classes = built.resolve(example + "-classes");
    List<String> compile = new ArrayList<>(List.of("--release", "25", "-Xlint:all", "-Werror"));
    compile.addAll(List.of("-cp", spi().toString(), "-d", classes.toString()));
    try (Stream<Path> files = Files.list(source.resolve("src/main/java/acme"))) {
      files.map(Path::toString).forEach(compile::add);
    }
    tool("javac", compile);
    tool(
        "jar",
        List.of(
            "--create",
            "--file",
            jar.toString(),
            "--manifest",
            source.resolve("manifest.txt").toString(),
            "-C",
            classes.toString(),
            ".",
            "-C",
            source.resolve("src/main/resources").toString(),
            "."));
    return Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
  }

  private static Path spi() throws IOException {
    try (Stream<Path> jars = Files.list(Ebb.ROOT.resolve("dist/target/ebb/lib"))) {
      return jars.filter(jar -> jar.getFileName().toString().matches("ebb-spi-\\d.*"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static void tool(String name, List<String> arguments) {
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int status =
        ToolProvider.findFirst(name)
            .orElseThrow()
            .run(writer, writer, arguments.toArray(String[]::new));
    assertThat(status).as(said.toString()).isZero();
  }
}
