package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelSourceTest {

  private static final Path KERNELS = Path.of("src/main/resources/dev/ebb/host/cuda");

  @Test
  void thePtxIsWhatTheSourceCompilesTo(@TempDir Path folder) throws Exception {
    Path fresh = folder.resolve("kernels.ptx");
    Process compilation;
    try {
      new ProcessBuilder("nvcc", "--version").start().waitFor();
      compilation =
          new ProcessBuilder(
                  "sh", KERNELS.resolve("compile-kernels.sh").toString(), fresh.toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException noCompiler) {
      assumeTrue(false, "no nvcc to compile the kernels with");
      return;
    }
    String output = new String(compilation.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(compilation.waitFor()).as(output).isZero();
    List<String> expected = Files.readAllLines(fresh);
    List<String> committed = Files.readAllLines(KERNELS.resolve("kernels.ptx"));
    assumeTrue(
        compiler(expected).equals(compiler(committed)),
        "another nvcc than the one that compiled kernels.ptx: " + compiler(expected));
    assertThat(committed).isEqualTo(expected);
  }

  private static String compiler(List<String> ptx) {
    return ptx.stream().filter(line -> line.contains("release")).findFirst().orElseThrow();
  }
}
