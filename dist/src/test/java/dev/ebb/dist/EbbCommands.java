package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Commands of the runnable layout that run one after the other in one process, without the
 * launcher: most commands take longer to start than to run.
 */
final class EbbCommands {

  private final Path directory;
  private final List<String> options;
  private final List<String> commands = new ArrayList<>();

  /**
   * Runs them in a working directory.
   *
   * @param options of the JVM
   */
  EbbCommands(Path directory, String... options) {
    this.directory = directory;
    this.options = List.of(options);
  }

  /** Adds a command. No argument may be empty. */
  EbbCommands add(String... arguments) {
    commands.add(String.join("\n", arguments));
    return this;
  }

  /** Runs them all, and returns what each left behind. */
  List<Ebb.Run> run() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(directory, "commands");
    Path source = folder.resolve("Commands.java");
    try (var program = EbbCommands.class.getResourceAsStream("/commands/Commands.java")) {
      Files.copy(program, source);
    }
    Path file = Files.writeString(folder.resolve("commands"), String.join("\n\n", commands));
    List<String> command = new ArrayList<>(options);
    Collections.addAll(command, "-Debb.home=" + Ebb.ROOT, "Commands", file.toString());
    Process process =
        CompiledProgram.of(
                source, folder, CompiledProgram.jars(Ebb.ROOT.resolve("dist/target/ebb/lib")))
            .process(command.toArray(String[]::new))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
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
}
