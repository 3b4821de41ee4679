package dev.ebb.host.cli;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.app.Serving;
import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.files.TemporaryFolder;
import dev.ebb.host.lifecycle.ProcessDefaults;
import dev.ebb.host.wiring.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The run from which the launcher creates a start-up cache. Later starts need not read from JARs
 * what this run loads: that of servers and replays, or only that of commands that ask a server.
 */
final class StartUpTraining {

  private static final String REPLAY =
      "replay --synthetic chat --requests 200 --policies lru --capacity 10% --html ";

  private static final List<String> COMMANDS =
      List.of("stats", "policy show", "policy list", "eviction stats", "pool stats", "keys");

  /** What a server writes before its address. */
  private static final String METRICS = "metrics at ";

  private static final PrintWriter OUT = new PrintWriter(System.out, true, StandardCharsets.UTF_8);

  private StartUpTraining() {}

  /**
   * Runs the training.
   *
   * @param args {@code commands} for a cache of commands; none for one of everything
   */
  public static void main(String[] args) throws IOException {
    ProcessDefaults.setLocale();
    try (TemporaryFolder folder = TemporaryFolder.create("ebb-training-")) {
      Path file = configure(folder);
      boolean ok =
          args.length > 0
              ? run("version") && ask(file)
              : run(REPLAY + folder.path().resolve("report.html")) && run("version") && serve(file);
      System.exit(ok ? 0 : 1);
    }
  }

  private static Path configure(TemporaryFolder folder) throws IOException {
    String settings =
        """
        ebb.pool.size = 1 MiB
        ebb.server.port = 0
        ebb.admin.port = 0
        ebb.plugins.run = "%s"
        """
            .formatted(folder.path().resolve("run"));
    return Files.writeString(folder.path().resolve("ebb.conf"), settings);
  }

  /** Asks a server of another process, whose classes do not belong into the cache. */
  private static boolean ask(Path file) throws IOException {
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Debb.home=" + System.getProperty("ebb.home"),
                "-cp",
                System.getProperty("java.class.path"),
                EbbMain.class.getName(),
                "serve",
                "--config",
                file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = server.inputReader()) {
      String line = lines.readLine();
      while (line != null && !line.contains(METRICS)) {
        line = lines.readLine();
      }
      return line != null
          && ask(line.substring(line.indexOf(METRICS) + METRICS.length()).replaceFirst("/$", ""));
    } finally {
      server.destroy();
    }
  }

  private static boolean ask(String url) {
    return COMMANDS.stream().allMatch(each -> run(each + " --url " + url));
  }

  private static boolean serve(Path file) throws IOException {
    try (Host host = Host.open(ConfigLoader.ofProcess().load(file));
        Serving serving = Serving.start(host)) {
      return ask("http://127.0.0.1:" + requireNonNull(serving.adminAddress()).getPort());
    }
  }

  private static boolean run(String command) {
    OUT.println("ebb " + command);
    return EbbMain.run(OUT, OUT, Stream.of(command.split(" ")).toArray(String[]::new)) == 0;
  }
}
