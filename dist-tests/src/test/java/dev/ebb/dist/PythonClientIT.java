package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests of clients/python, which start servers with the launcher. */
class PythonClientIT {

  /** The interpreter of the PATH may be another than the one that the system's packages extend. */
  private static final List<String> INTERPRETERS = List.of("python3", "/usr/bin/python3");

  @TempDir private Path directory;

  @Test
  void passesItsOwnTests() throws IOException, InterruptedException {
    Path log = directory.resolve("log");
    ProcessBuilder tests =
        new ProcessBuilder(
                interpreter(), "-B", "-m", "unittest", "discover", "-v", "-s", "tests", "-t", ".")
            .directory(Ebb.ROOT.resolve("clients/python").toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    tests.environment().put("PYTHONPATH", "src");
    tests.environment().put("EBB_LAUNCHER", Ebb.launcher());
    Ebb.prepare(tests, "");
    tests.environment().put("EBB_TEST_HISTORIES", Integer.toString(Rounds.times(1)));
    // The threads of NumPy would wait in loops for each other.
    tests.environment().put("OMP_NUM_THREADS", "1");
    tests.environment().put("OPENBLAS_NUM_THREADS", "1");

    Process process = tests.start();
    try {
      boolean ended = process.waitFor(30, TimeUnit.MINUTES);
      String output = Files.readString(log);
      assertThat(ended).as("still running after half an hour:%n%s", output).isTrue();
      assertThat(process.exitValue()).as(output).isZero();
      assertThat(log).content().contains("Ran ", "OK");
    } finally {
      process.destroyForcibly();
    }
  }

  private static String interpreter() throws IOException, InterruptedException {
    for (String each : INTERPRETERS) {
      if (each.startsWith("/") ? Files.isExecutable(Path.of(each)) : Shell.has(each)) {
        Process imports =
            new ProcessBuilder(each, "-c", "import redis, numpy")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (imports.waitFor() == 0) {
          return each;
        }
      }
    }
    return abort("no python3 with redis and numpy; install python3-redis and python3-numpy");
  }
}
