package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * A program of a test, compiled by this process: to start a compiler, or the source launcher, takes
 * longer than most of these programs run.
 *
 * @param classPath the folder of its classes, and its libraries
 */
record CompiledProgram(String classPath) {

  /**
   * Compiles a source file, without a message.
   *
   * @param libraries a class path
   */
  static CompiledProgram of(Path source, Path classes, String libraries) {
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                messages,
                messages,
                "-proc:none",
                "-cp",
                libraries,
                "-d",
                classes.toString(),
                source.toString());
    assertThat(messages.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(result).isZero();
    return new CompiledProgram(classes + File.pathSeparator + libraries);
  }

  /** Returns a class path of all JARs in a folder. */
  static String jars(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(Path::toString)
          .filter(file -> file.endsWith(".jar"))
          .sorted()
          .collect(Collectors.joining(File.pathSeparator));
    }
  }

  /** Returns a process that runs it, with options of its JVM, the class and its arguments. */
  ProcessBuilder process(String... more) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classPath));
    command.addAll(List.of(more));
    return new ProcessBuilder(command);
  }
}
