package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is carried to a machine with a GPU, run with a driver over host memory in its place. */
class GpuKitIT {

  private static final long MOST_BYTES = 64L << 20;

  @TempDir Path directory;

  @Test
  void theKitIsSmallAndVerifiesACardWithNothingInstalled() throws Exception {
    Path kit = directory.resolve("kit");
    Result built =
        run(Map.of("EBB_JAVA_HOME", System.getProperty("java.home")), "gpu/build", kit.toString());
    assertThat(built.exitCode()).as(built.output()).isZero();
    assertThat(bytes(kit)).isLessThan(MOST_BYTES);

    Result driver = run(Map.of(), "host/cuda/src/test/c/fakecuda/build.sh", directory.toString());
    assumeTrue(driver.exitCode() != 127, "no C compiler to build the test driver with");
    assertThat(driver.exitCode()).as(driver.output()).isZero();

    Result verified =
        run(
            Map.of("LD_LIBRARY_PATH", directory.toString(), "PATH", "/usr/bin:/bin"),
            kit.resolve("verify").toString(),
            "--quick");
    assertThat(verified.exitCode()).as(verified.output()).isZero();
    assertThat(verified.output())
        .contains("| card | Test driver over host memory 0, one of 1 |")
        .contains("All 25 checks passed")
        .contains("| compact 1,000 blocks |")
        .doesNotContain("SLF4J", "WARNING");
  }

  private record Result(int exitCode, String output) {}

  private Result run(Map<String, String> environment, String script, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(Stream.of(Ebb.ROOT.resolve(script).toString()), Stream.of(arguments))
                .toList());
    // Read by jlink, and by the Java of the kit.
    builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  private static long bytes(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(GpuKitIT::size).sum();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
