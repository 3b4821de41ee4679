package dev.ebb.dist;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Runs the launcher as a user would. */
final class Ebb {

  static final Path ROOT =
      Path.of(System.getProperty("ebb.root", "..")).toAbsolutePath().normalize();

  /**
   * Options of a process that runs beside others for some seconds: one thread that collects
   * garbage, and room for what a start loads and leaves, which it would collect again and again.
   * The profile {@code stress} has the collector of users.
   */
  static final String SMALL_PROCESS =
      Rounds.usual() ? "-XX:-UseParallelGC -XX:+UseSerialGC -XX:MetaspaceSize=128m -Xmn64m" : "";

  private static final int TIMEOUT_MINUTES = 5;

  /** Tests that start something else need not wait for the first start. */
  private static final class Launcher {

    private static final String PATH = started(ROOT.resolve("ebb").toString());

    /** The first start creates the start-up cache, and says so, which no test expects. */
    private static String started(String launcher) {
      try {
        ProcessBuilder first =
            new ProcessBuilder(launcher, "--version")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        first.environment().put("EBB_JAVA_HOME", System.getProperty("java.home"));
        first.start().waitFor();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return launcher;
    }
  }

  /** Returns the launcher, with its start-up cache. */
  static String launcher() {
    return Launcher.PATH;
  }

  private final Path directory;

  private String moreOptions = "";

  /** Runs in a working directory of its own. */
  Ebb(Path directory) {
    this.directory = directory;
  }

  /** Adds options of the JVM. */
  Ebb withJavaOptions(String options) {
    moreOptions = options;
    return this;
  }

  /**
   * Returns the value of {@code EBB_JAVA_OPTS} for a process of a test, with more options. Most end
   * before code that C2 has optimised would pay. With an option of the log, which is that of the
   * launcher itself, the launcher does not try the options with another JVM first.
   */
  static String javaOptions(String more) {
    String compiler = Rounds.usual() ? "-XX:TieredStopAtLevel=1 " : "";
    return ("-Xlog:disable " + compiler + more).strip();
  }

  /**
   * Sets the JDK of this test and the options of the JVM for a process that starts the launcher.
   */
  static void prepare(ProcessBuilder builder, String moreOptions) {
    builder.environment().put("EBB_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("EBB_JAVA_OPTS", javaOptions(moreOptions));
  }

  /** What a run left behind. */
  record Run(int exitCode, String out, String err) {
    JsonNode json() {
      return new ObjectMapper().readTree(out);
    }
  }

  Run run(String... arguments) {
    return run(null, arguments);
  }

  /** Replays 2,000 synthetic requests of chats. */
  Run replayChats(String... options) {
    List<String> arguments = new ArrayList<>(List.of("replay", "--synthetic", "chat", "--json"));
    arguments.addAll(List.of("--requests", "2000"));
    arguments.addAll(List.of(options));
    return run(arguments.toArray(String[]::new));
  }

  /** Starts a run and leaves it to the caller. */
  Process start(String... arguments) throws IOException {
    return builder(arguments)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  Run run(@Nullable Path standardInput, String... arguments) {
    ProcessBuilder builder = builder(arguments);
    if (standardInput != null) {
      builder.redirectInput(standardInput.toFile());
    }
    try {
      Process process = builder.start();
      CompletableFuture<String> out = read(process.getInputStream());
      CompletableFuture<String> err = read(process.getErrorStream());
      if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new AssertionError("ebb " + String.join(" ", arguments) + " did not end");
      }
      return new Run(process.exitValue(), out.join(), err.join());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  ProcessBuilder builder(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(launcher());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    prepare(builder, moreOptions);
    return builder;
  }

  /** Writes a configuration file into the working directory. */
  Ebb configured(String hocon) {
    try {
      Files.writeString(directory.resolve("ebb.conf"), hocon);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Writes a configuration file that names the folder of the plugins. */
  Ebb withPlugins(Path folder) {
    return configured(
        "ebb.plugins { folder = \"%s\", run = \"%s\" }"
            .formatted(folder, directory.resolve("run")));
  }

  private static CompletableFuture<String> read(InputStream stream) {
    return CompletableFuture.supplyAsync(() -> {
      try (stream) {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }
}
