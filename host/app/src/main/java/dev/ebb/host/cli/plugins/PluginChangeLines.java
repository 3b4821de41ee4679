package dev.ebb.host.cli.plugins;

import dev.ebb.host.admin.policy.PluginsDocument;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.switching.PluginReloads;
import dev.ebb.host.text.Format;
import dev.ebb.host.wiring.PluginFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a running Ebb handled a change of its plugin folder. */
final class PluginChangeLines {

  /** The server scans every ten seconds at least, unless configured otherwise, and twice. */
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static final Duration PAUSE = Duration.ofMillis(200);

  private PluginChangeLines() {}

  /** Waits until it has looked at a new JAR, and returns the result. */
  static List<String> installed(PluginFiles.Change installed, AdminClient client) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    PluginsDocument answer;
    PluginsDocument.@Nullable Plugin jar;
    do {
      answer = client.get("/api/v1/plugins", PluginsDocument.class).document();
      jar = find(answer, installed);
    } while (jar == null && System.nanoTime() < end && ServerOptions.pause(PAUSE));
    return jar == null
        ? List.of(
            "the Ebb at %s has not scanned it yet; 'ebb plugins list --url %s' shows its state"
                .formatted(client.server(), client.server()))
        : words(client, answer, jar);
  }

  /** The JAR, once it has been looked at; null before. */
  private static PluginsDocument.@Nullable Plugin find(
      PluginsDocument answer, PluginFiles.Change installed) {
    return answer.plugins().stream()
        .filter(each -> Objects.equals(each.sha256(), installed.sha256()))
        .filter(each -> !each.state().equals("copying"))
        .findFirst()
        .orElse(null);
  }

  private static List<String> words(
      AdminClient client, PluginsDocument answer, PluginsDocument.Plugin jar) {
    List<String> lines = new ArrayList<>();
    boolean loaded = jar.state().equals("loaded");
    lines.add(
        "the Ebb at %s %s"
            .formatted(
                client.server(), loaded ? "has loaded it" : "does not use it: " + jar.reason()));
    for (PluginsDocument.Plugin each : answer.plugins()) {
      boolean other = !Objects.equals(each.sha256(), jar.sha256());
      boolean relevant = loaded || other;
      if (Objects.equals(each.id(), jar.id()) && !each.reason().isEmpty() && relevant) {
        lines.add(Path.of(each.file()).getFileName() + ": " + each.reason());
      }
    }
    if (loaded) {
      lines.addAll(unusable(client, jar));
    }
    return lines;
  }

  /** A JAR can be loaded though its policies cannot be made. */
  private static List<String> unusable(AdminClient client, PluginsDocument.Plugin jar) {
    return client.get("/api/v1/policies", PolicyDocument.All.class).document().policies().stream()
        .filter(each -> Objects.equals(each.plugin(), jar.id()) && each.problem() != null)
        .map(each ->
            "its policy '%s' cannot be used: %s"
                .formatted(Format.text(each.name()), Format.text(each.problem())))
        .toList();
  }

  /** Returns what happens to the active policy if its plugin was removed. */
  static List<String> removed(String id, AdminClient client) {
    PolicyDocument.All policies =
        client.get("/api/v1/policies", PolicyDocument.All.class).document();
    return policies.policies().stream()
        .filter(each -> id.equals(each.plugin()))
        .filter(each -> each.name().equals(policies.policy()))
        .map(each ->
            "the Ebb at '%s' has '%s' active, and keeps serving with a copy unless ebb.plugins.on-removed = fall-back"
                .formatted(client.server(), Format.text(each.name())))
        .toList();
  }

  static List<String> reloaded(PluginReloads.Result answer) {
    List<String> lines = new ArrayList<>();
    answer.loaded().forEach(each -> lines.add("loaded " + Format.text(each)));
    answer.dropped().forEach(each -> lines.add("dropped " + Format.text(each)));
    answer.failures().forEach(each -> lines.add("not taken over: " + Format.text(each)));
    if (lines.isEmpty()) {
      lines.add("nothing has changed");
    }
    lines.add("'%s' is active".formatted(Format.text(answer.policy())));
    return lines;
  }
}
