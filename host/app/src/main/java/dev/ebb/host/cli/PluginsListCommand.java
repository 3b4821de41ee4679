package dev.ebb.host.cli;

import dev.ebb.host.admin.PluginsDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.http.Json;
import dev.ebb.host.wiring.Host;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ebb plugins list}: lists every JAR in the drop-in folder, and why one is not loaded. */
@Command(
    name = "list",
    description =
        "Lists each JAR in the drop-in folder: what it offers, or why it is not loaded; with --url,"
            + " what a running Ebb has loaded",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb plugins list",
      "  ebb plugins list --folder /opt/plugins --json",
      "  ebb plugins list --url http://127.0.0.1:9090"
    })
final class PluginsListCommand extends ServerCommand {

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "The drop-in folder; by default ebb.plugins.folder of the configuration")
  private @Nullable Path folder;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsListCommand() {}

  @Override
  public Integer call() {
    if (server().isGiven()) {
      if (folder != null) {
        throw wrong("--folder is on this machine, but --url names a server; use one of them");
      }
      try (AdminClient client = open()) {
        Answer<PluginsDocument> answer = client.get("/api/v1/plugins", PluginsDocument.class);
        print(wantsJson() ? List.of(answer.text()) : PluginTable.lines(answer.document()));
      }
    } else {
      PluginsDocument document = installed();
      print(wantsJson() ? List.of(Json.text(document)) : PluginTable.lines(document));
    }
    return 0;
  }

  private PluginsDocument installed() {
    LoadedConfig loaded = server().load();
    EbbConfig read = loaded.orThrow();
    EbbConfig chosen = folder == null ? read : read.withPluginFolder(folder);
    try (Host host = Host.open(new LoadedConfig(chosen, List.of(), loaded.tree()))) {
      return PluginsDocument.of(chosen.plugins().folder(), host.plugins().reports());
    }
  }
}
