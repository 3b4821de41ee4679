package dev.ebb.host.cli.plugins;

import dev.ebb.host.admin.policy.PluginsDocument;
import dev.ebb.host.admin.policy.SwapDocument;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.FolderOption;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.policy.SwitchTable;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.switching.PluginReloads;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.wiring.Host;
import dev.ebb.host.wiring.PluginFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "plugins",
    description = "Shows, installs and removes plugins, and helps plugin authors",
    subcommands = {PluginsNewCommand.class, PluginsVerifyCommand.class, PluginsBenchCommand.class})
public final class PluginsCommand extends CommandGroup {

  private static final String PLUGINS = "/api/v1/plugins";

  PluginsCommand() {
    super("list", "install", "remove", "reload", "history", "new", "verify", "bench");
  }

  @Command(
      description =
          "Lists each JAR in the plugin folder: what it offers, or why it is not loaded; with"
              + " --url, what a running Ebb has loaded",
      footer = {
        "  ebb plugins list",
        "  ebb plugins list --folder /opt/plugins --json",
        "  ebb plugins list --url http://127.0.0.1:9090"
      })
  int list(@Mixin ServerOptions server, @Mixin FolderOption folder) {
    if (!server.isGiven()) {
      return server.show(installed(folder.of(server.load())), PluginTable::lines);
    }
    if (folder.isGiven()) {
      throw server.wrong("--folder is on this machine, but --url names a server; use one of them");
    }
    return server.show(client -> client.get(PLUGINS, PluginsDocument.class), PluginTable::lines);
  }

  private static Answer<PluginsDocument> installed(LoadedConfig loaded) {
    try (Host host = Host.open(loaded)) {
      PluginsDocument document =
          PluginsDocument.of(loaded.config().plugins().folder(), host.plugins().reports());
      return new Answer<>(Json.text(document), () -> document);
    }
  }

  @Command(
      description =
          "Checks that a JAR loads, and that it removes no name that the configuration"
              + " needs, and puts it into the plugin folder, replacing one of that name; a"
              + " running Ebb loads it within seconds, and this command reports the result; name"
              + " that Ebb with --url if it is not at the configured admin address",
      footer = {
        "  ebb plugins install acme-lru-1.0.0.jar",
        "  ebb plugins install acme-lru-1.1.0.jar --replace",
        "  ebb plugins install acme-lru-1.0.0.jar --folder /opt/plugins",
        "  ebb plugins install acme-lru-1.0.0.jar --url http://127.0.0.1:9091"
      })
  int install(
      @Mixin ServerOptions server,
      @Mixin FolderOption folder,
      @Option(
              names = "--replace",
              description =
                  "Deletes the plugin's other JARs, of higher and of lower versions, from the"
                      + " folder")
          boolean replace,
      @Parameters(paramLabel = "FILE", description = "The plugin's JAR") Path file) {
    LoadedConfig loaded = folder.of(server.load());
    return report(
        server,
        loaded,
        new PluginFiles(loaded).install(file, replace),
        PluginChangeLines::installed);
  }

  @Command(
      description =
          "Deletes every JAR of a plugin from the plugin folder; if its policy is active in a"
              + " running Ebb, ebb.plugins.on-removed says what happens",
      footer = {
        "  ebb plugins remove acme-lru",
        "  ebb plugins remove acme-lru --folder /opt/plugins"
      })
  int remove(
      @Mixin ServerOptions server,
      @Mixin FolderOption folder,
      @Parameters(paramLabel = "ID", description = "The plugin's id; see 'ebb plugins list'")
          String id) {
    LoadedConfig loaded = folder.of(server.load());
    return report(
        server,
        loaded,
        new PluginFiles(loaded).remove(id),
        (change, client) -> PluginChangeLines.removed(id, client));
  }

  /** Reports a change, and how a running Ebb with this folder handled it. */
  private static int report(
      ServerOptions server,
      LoadedConfig loaded,
      PluginFiles.Change made,
      BiFunction<PluginFiles.Change, AdminClient, List<String>> handled) {
    try (AdminClient client = server.open()) {
      Path folder = absolute(loaded.config().plugins().folder());
      Path served =
          absolute(Path.of(client.get(PLUGINS, PluginsDocument.class).document().folder()));
      if (folder.equals(served)) {
        return show(server, made.found(handled.apply(made, client)));
      }
      server.note(
          "the Ebb at '%s' uses the plugin folder '%s', not '%s'; if another Ebb uses this one, name its address with --url"
              .formatted(client.server(), Format.text(served.toString()), folder));
    } catch (UserError noAnswer) {
      if (server.isGiven()) {
        show(server, made);
        throw noAnswer;
      }
      server.note(
          "only the folder was changed; a running Ebb scans it, but its result is not known: "
              + noAnswer.getMessage());
    }
    return show(server, made);
  }

  private static int show(ServerOptions server, PluginFiles.Change change) {
    return server.show(
        new Answer<>(Json.text(change), () -> change),
        all ->
            Stream.concat(all.said().stream(), all.found().stream())
                .map(KeyText::printable)
                .toList());
  }

  private static Path absolute(Path folder) {
    return folder.toAbsolutePath().normalize();
  }

  @Command(
      description =
          "Makes a running Ebb scan its plugin folder now, including JARs that were not activated"
              + " or that were rolled back",
      footer = {"  ebb plugins reload", "  ebb plugins reload --json"})
  int reload(@Mixin ServerOptions server) {
    return server.show(
        client -> client.send("POST", PLUGINS + "/reload", Map.of(), PluginReloads.Result.class),
        PluginChangeLines::reloaded);
  }

  @Command(
      description =
          "Lists each policy switch and each failed attempt: from which to which policy, why, how"
              + " long its steps took, where it failed, and whether the old JAR has been unloaded",
      footer = {"  ebb plugins history", "  ebb plugins history --tail 5 --json"})
  int history(
      @Mixin ServerOptions server,
      @Option(
              names = "--tail",
              paramLabel = "N",
              description =
                  "The last N only, 1 to 256; by default all that are remembered, at most 256")
          @Nullable Integer tail) {
    return server.show(
        client ->
            client.get(
                PLUGINS
                    + "/history"
                    + (tail == null ? "" : "?tail=" + server.between("--tail", tail, 1, 256)),
                SwapDocument.History.class),
        SwitchTable::lines);
  }
}
