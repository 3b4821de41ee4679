package dev.ebb.host.cli;

import dev.ebb.host.admin.PolicyDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.wiring.PluginFiles;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb plugins remove}: deletes a plugin from the drop-in folder. */
@Command(
    name = "remove",
    description =
        "Deletes every JAR of a plugin from the drop-in folder; if its policy is active in a"
            + " running Ebb, ebb.plugins.on-removed says what happens",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb plugins remove acme-lru",
      "  ebb plugins remove acme-lru --folder /opt/plugins"
    })
final class PluginsRemoveCommand extends PluginFilesCommand {

  @Parameters(paramLabel = "ID", description = "The plugin's id; see 'ebb plugins list'")
  private String id;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsRemoveCommand() {}

  @Override
  PluginFiles.Change change(PluginFiles files) {
    return files.remove(id);
  }

  @Override
  List<String> made(PluginFiles.Change change, AdminClient client) {
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
}
