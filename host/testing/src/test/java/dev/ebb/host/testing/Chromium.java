package dev.ebb.host.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The browser of this machine, if it has one. */
public final class Chromium {

  /** The reason for skipping tests without a browser. */
  public static final String MISSING =
      "no chromium on the PATH: the page is not opened in a browser";

  private Chromium() {}

  /** Returns its executable. */
  public static Optional<Path> find() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(
            name -> Stream.of(path.split(File.pathSeparator, -1)).map(dir -> Path.of(dir, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns a command to start it without a window and without background traffic. */
  public static List<String> headless(Path program, Path profile, String... more) {
    List<String> call =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + profile));
    call.addAll(List.of(more));
    return call;
  }

  /** Ends it. Its helpers write to the profile until they end, and it could not be deleted. */
  public static void end(Process process, Set<ProcessHandle> knownHelpers) {
    Set<ProcessHandle> helpers = new HashSet<>(knownHelpers);
    process.descendants().forEach(helpers::add);
    process.destroyForcibly();
    process.onExit().join();
    for (ProcessHandle helper : helpers) {
      helper.destroyForcibly();
      helper.onExit().join();
    }
  }
}
