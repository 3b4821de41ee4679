package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.wiring.PluginFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a running Ebb makes of a JAR that has just come into its folder. */
final class PluginChangeLines {

  /** It looks every ten seconds at least, unless told otherwise, and twice. */
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static final long PAUSE_MILLIS = 200;

  private PluginChangeLines() {}

  /** Its words on what was installed, a line each. */
  static List<String> of(PluginFiles.Change installed, AdminClient client) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    Fields answer;
    Fields jar;
    do {
      answer = new Fields(client.get("/api/v1/plugins").document());
      jar = find(answer, installed);
    } while (jar == null && System.nanoTime() < end && paused());
    return jar == null
        ? List.of(
            "the Ebb at %s has not looked at it yet; 'ebb plugins list --url %s' says what becomes of it"
                .formatted(client.server(), client.server()))
        : words(client, answer, jar);
  }

  /** The JAR, once it has been looked at; null before. */
  private static @Nullable Fields find(Fields answer, PluginFiles.Change installed) {
    return answer.list("/plugins").stream()
        .filter(each -> each.raw("/sha256").equals(installed.sha256()))
        .filter(each -> !each.raw("/state").equals("copying"))
        .findFirst()
        .orElse(null);
  }

  private static List<String> words(AdminClient client, Fields answer, Fields jar) {
    List<String> lines = new ArrayList<>();
    boolean loaded = jar.raw("/state").equals("loaded");
    lines.add(
        "the Ebb at %s %s"
            .formatted(
                client.server(),
                loaded ? "has loaded it" : "does not use it: " + jar.raw("/reason")));
    for (Fields each : answer.list("/plugins")) {
      boolean other = !each.raw("/sha256").equals(jar.raw("/sha256"));
      boolean relevant = loaded || other;
      if (each.raw("/id").equals(jar.raw("/id")) && !each.raw("/reason").isEmpty() && relevant) {
        lines.add(Path.of(each.raw("/file")).getFileName() + ": " + each.raw("/reason"));
      }
    }
    if (loaded) {
      lines.addAll(unusable(client, jar));
    }
    return lines;
  }

  /** A JAR can be loaded though its policies cannot be made. */
  private static List<String> unusable(AdminClient client, Fields jar) {
    return new Fields(client.get("/api/v1/policies").document())
        .list("/policies").stream()
            .filter(each -> each.raw("/plugin").equals(jar.raw("/id")) && each.has("/problem"))
            .map(each ->
                "its policy '%s' cannot be used: %s"
                    .formatted(each.text("/name"), each.text("/problem")))
            .toList();
  }

  /** False if the command is to end. */
  private static boolean paused() {
    try {
      Thread.sleep(PAUSE_MILLIS);
      return true;
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
