package dev.ebb.host.cli;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.app.Serving;
import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.files.TemporaryFolder;
import dev.ebb.host.lifecycle.ProcessDefaults;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The run from which the launcher creates the start-up cache: a replay, and a server with commands
 * that ask it. Later starts need not read from JARs what this run loads.
 */
final class StartUpTraining {

  private static final String REPLAY =
      "replay --synthetic chat --requests 200 --policies lru --capacity 10% --html ";

  private static final List<String> COMMANDS =
      List.of("stats", "policy show", "policy list", "eviction stats", "pool stats", "keys");

  private static final PrintWriter OUT = new PrintWriter(System.out, true, StandardCharsets.UTF_8);

  private StartUpTraining() {}

  /**
   * Runs the training.
   *
   * @param args none
   * @throws IOException if a temporary file cannot be written
   */
  public static void main(String[] args) throws IOException {
    ProcessDefaults.setLocale();
    try (TemporaryFolder folder = TemporaryFolder.create("ebb-training-")) {
      boolean ok =
          run(REPLAY + folder.path().resolve("report.html")) && run("version") && serve(folder);
      System.exit(ok ? 0 : 1);
    }
  }

  private static boolean serve(TemporaryFolder folder) throws IOException {
    String settings =
        """
        ebb.pool.size = 1 MiB
        ebb.server.port = 0
        ebb.admin.port = 0
        ebb.plugins.run = "%s"
        """
            .formatted(folder.path().resolve("run"));
    Path file = Files.writeString(folder.path().resolve("ebb.conf"), settings);
    try (Host host = Host.open(ConfigLoader.ofProcess().load(file));
        Serving serving = Serving.start(host)) {
      int port = requireNonNull(serving.adminAddress()).getPort();
      return COMMANDS.stream().allMatch(each -> run(each + " --url http://127.0.0.1:" + port));
    }
  }

  private static boolean run(String command) {
    OUT.println("ebb " + command);
    return EbbMain.run(OUT, OUT, Stream.of(command.split(" ")).toArray(String[]::new)) == 0;
  }
}
