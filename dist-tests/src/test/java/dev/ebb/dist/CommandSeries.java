package dev.ebb.dist;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Commands of the runnable layout that run one after the other in one process, without the
 * launcher: most commands take longer to start than to run.
 */
final class CommandSeries {

  private static final Path LAYOUT = Ebb.ROOT.resolve("dist/target/ebb");
  private static final String APP =
      LAYOUT.resolve("lib/ebb-app-%s.jar".formatted(System.getProperty("ebb.version"))).toString();
  private static final Pattern COMMON = Pattern.compile("\ncommon=\"([^\"]+)\"");

  private final Path directory;
  private final List<String> options;
  private final List<String> commands = new ArrayList<>();

  /**
   * Runs them in a working directory.
   *
   * @param options of the JVM
   */
  CommandSeries(Path directory, String... options) {
    this.directory = directory;
    this.options = List.of(options);
  }

  /** Adds a command. No argument may be empty or have a line break. */
  CommandSeries add(String... arguments) {
    commands.add(String.join("\n", arguments));
    return this;
  }

  /** Runs them all, and returns what each left behind. */
  List<Ebb.Run> run() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(directory, "commands");
    Path source = folder.resolve("Commands.java");
    try (InputStream program =
        requireNonNull(CommandSeries.class.getResourceAsStream("/commands/Commands.java"))) {
      Files.copy(program, source);
    }
    CompiledProgram.of(source, folder, APP);
    Path file = Files.writeString(folder.resolve("commands"), String.join("\n\n", commands));
    Process process =
        new ProcessBuilder(command(folder, file))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
    } finally {
      process.destroyForcibly();
    }
    List<Ebb.Run> runs = new ArrayList<>();
    for (int i = 0; i < commands.size(); i++) {
      runs.add(
          new Ebb.Run(
              Integer.parseInt(Files.readString(folder.resolve(i + ".code"))),
              Files.readString(folder.resolve(i + ".out")),
              Files.readString(folder.resolve(i + ".err"))));
    }
    return runs;
  }

  /** With the launcher's options and its class path first: else no start-up cache fits. */
  private List<String> command(Path classes, Path file) throws IOException {
    Ebb.launcher();
    Matcher common = COMMON.matcher(Files.readString(Ebb.ROOT.resolve("ebb")));
    assertThat(common.find()).isTrue();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(common.group(1).split(" ")));
    command.addAll(List.of("-XX:AOTCache=" + LAYOUT.resolve("ebb.aot"), "-Debb.home=" + Ebb.ROOT));
    command.addAll(List.of(Ebb.javaOptions("").split(" ")));
    command.addAll(options);
    command.addAll(List.of("-cp", APP + File.pathSeparator + classes, "Commands", file.toString()));
    return command;
  }
}
