package dev.ebb.host.cli.server;

import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.output.Terminal;
import dev.ebb.host.client.AdminClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ebb top}: the state of a running Ebb, refreshed in place. */
@Command(
    name = "top",
    description =
        "Live view of a running server: hit ratio, evictions, occupancy, policy, clients and"
            + " latency; refreshed until q or Ctrl-C is pressed",
    footer = {"  ebb top", "  ebb top --interval 5", "  ebb top --once --url http://cache-3:9090"})
public final class TopCommand implements Callable<Integer> {

  /** The alternate screen of the terminal, without a cursor. */
  private static final String ENTER = "\033[?1049h\033[?25l";

  private static final char QUIT = 'q';
  private static final String LEAVE = "\033[?25h\033[?1049l";
  private static final String HOME = "\033[H";
  private static final String LINE_END = "\033[K";
  private static final String REST = "\033[J";
  private static final int LONGEST_SECONDS = 3_600;

  @Mixin private ServerOptions server;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Seconds between two refreshes; by default 1")
  private int interval;

  @Option(
      names = "--once",
      description = "Prints one screen after one interval, for scripts; also without a terminal")
  private boolean once;

  @Override
  public Integer call() {
    server.between("--interval", interval, 1, LONGEST_SECONDS);
    try (AdminClient client = server.open()) {
      if (once || server.wantsJson() || !Terminal.isThere()) {
        printOnce(client);
      } else {
        refresh(client);
      }
    }
    return 0;
  }

  private void printOnce(AdminClient client) {
    if (server.wantsJson()) {
      server.print(client.get("/api/v1/stats", ProcessDocument.class).text());
      return;
    }
    ProcessDocument before = stats(client);
    if (ServerOptions.pause(Duration.ofSeconds(interval))) {
      server.print(TopText.lines(client.server(), stats(client), before, policy(client)));
    }
  }

  private void refresh(AdminClient client) {
    KeyPresses keys = KeyPresses.onTerminal();
    // Ctrl-C ends the process while it sleeps.
    Thread restore = new Thread(() -> leave(keys), "ebb-top-restore");
    Runtime.getRuntime().addShutdownHook(restore);
    write(ENTER);
    try {
      ProcessDocument before = stats(client);
      do {
        ProcessDocument now = stats(client);
        List<String> lines = TopText.lines(client.server(), now, before, policy(client));
        write(screen(lines, Terminal.size()));
        before = now;
      } while (!keys.await(QUIT, Duration.ofSeconds(interval)));
    } finally {
      leave(keys);
      try {
        Runtime.getRuntime().removeShutdownHook(restore);
      } catch (IllegalStateException ending) {
        // The hook runs already.
      }
    }
  }

  /**
   * Returns the text that replaces the screen.
   *
   * @param size columns and rows
   */
  public static String screen(List<String> lines, int[] size) {
    StringBuilder screen = new StringBuilder(HOME);
    List<String> shown = lines.subList(0, Math.min(lines.size(), size[1]));
    for (int i = 0; i < shown.size(); i++) {
      String line = shown.get(i);
      screen.append(line, 0, Math.min(line.length(), size[0])).append(LINE_END);
      if (i + 1 < shown.size()) {
        screen.append("\r\n");
      }
    }
    return screen.append(REST).toString();
  }

  private static ProcessDocument stats(AdminClient client) {
    return client.get("/api/v1/stats", ProcessDocument.class).document();
  }

  private static PolicyDocument policy(AdminClient client) {
    return client.get("/api/v1/policy", PolicyDocument.class).document();
  }

  private void leave(KeyPresses keys) {
    write(LEAVE);
    keys.close();
  }

  private void write(String text) {
    server.write(text);
  }
}
