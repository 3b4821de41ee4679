package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Commands that a plugin's author types, with the JDK that runs the tests. */
final class Shell {

  private Shell() {}

  static boolean has(String command) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
  }

  /** What a command said; it must succeed. */
  static String run(Path folder, String... command) {
    Ended ended = end(folder, command);
    assertThat(ended.exitCode()).as(ended.said()).isZero();
    return ended.said();
  }

  /** What a command said that must fail. */
  static String fail(Path folder, String... command) {
    Ended ended = end(folder, command);
    assertThat(ended.exitCode()).as(ended.said()).isNotZero();
    return ended.said();
  }

  private record Ended(int exitCode, String said) {}

  private static Ended end(Path folder, String... command) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
      builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
      // Read by all JVMs that the command starts: that of javac, of Maven, and of Maven's tests.
      builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
      Process process = builder.start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Ended(process.waitFor(), said);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /**
   * Maven as an author runs it, but from what this build has downloaded already, as far as it goes.
   * Its local repository lends all libraries and keeps none of Ebb's own.
   */
  static String[] maven(Path work, String... goalAndProperties) throws IOException {
    Path lent = Path.of(System.getProperty("ebb.local-repository"));
    Path own = work.resolve("m2");
    Files.createDirectories(own.resolve("dev"));
    link(lent, own, "dev");
    if (Files.isDirectory(lent.resolve("dev"))) {
      link(lent.resolve("dev"), own.resolve("dev"), "ebb");
    }
    return Stream.concat(
            Stream.of("mvn", "-B", "-ntp", "-Dmaven.repo.local=" + own),
            Arrays.stream(goalAndProperties))
        .toArray(String[]::new);
  }

  private static void link(Path from, Path to, String except) throws IOException {
    try (Stream<Path> all = Files.list(from)) {
      for (Path each : all.filter(path -> !path.endsWith(except)).toList()) {
        Files.createSymbolicLink(to.resolve(each.getFileName()), each);
      }
    }
  }
}
