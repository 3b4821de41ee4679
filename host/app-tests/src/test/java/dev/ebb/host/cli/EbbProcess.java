package dev.ebb.host.cli;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The command in a process of its own, for what ends processes or comes from their environment. */
final class EbbProcess implements AutoCloseable {

  private final Process process;
  private final Path output;
  private final Path errors;

  private EbbProcess(Process process, Path output, Path errors) {
    this.process = process;
    this.output = output;
    this.errors = errors;
  }

  static EbbProcess start(Path home, Map<String, String> environment, String... arguments)
      throws IOException {
    Path errors = home.resolve("errors");
    return start(home, environment, command(arguments).redirectError(errors.toFile()));
  }

  private static ProcessBuilder command(String... arguments) {
    return JavaProcess.of(
        List.of("-Xmx256m", "-Debb.verify.measurement=200", "-Debb.rollout.grace=1"),
        EbbMain.class,
        arguments);
  }

  /** Starts the command with a pipe as its standard error, which is not read. */
  static EbbProcess startUnread(Path home, String... arguments) throws IOException {
    return start(home, Map.of(), command(arguments));
  }

  private static EbbProcess start(
      Path home, Map<String, String> environment, ProcessBuilder builder) throws IOException {
    Path output = home.resolve("output");
    builder.redirectOutput(output.toFile()).environment().putAll(environment);
    return new EbbProcess(builder.start(), output, home.resolve("errors"));
  }

  /** All that it has written: standard output, then standard error. */
  String output() {
    return read(output) + read(errors);
  }

  /** What it has written to standard output; progress goes to standard error. */
  String results() {
    return read(output);
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Returns once it has written that; fails if it ends before. */
  void awaitOutput(String text) {
    Awaiting.until(() -> {
      boolean running = process.isAlive();
      if (output().contains(text)) {
        return true;
      }
      if (!running) {
        throw new AssertionError("it has ended without '" + text + "': " + output());
      }
      return false;
    });
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** Sends SIGTERM. */
  void terminate() {
    process.destroy();
  }

  /** Sends SIGKILL. */
  void kill() {
    process.destroyForcibly();
  }

  int exitCode() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("it did not end: " + output());
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    kill();
  }
}
