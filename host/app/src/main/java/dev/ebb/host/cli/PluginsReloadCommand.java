package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.swap.PluginReloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code ebb plugins reload}: makes a running Ebb scan its drop-in folder. */
@Command(
    name = "reload",
    description =
        "Makes a running Ebb scan its drop-in folder now, including JARs that were not activated or"
            + " that were rolled back",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb plugins reload", "  ebb plugins reload --json"})
final class PluginsReloadCommand extends AnswerCommand<PluginReloads.Result> {

  PluginsReloadCommand() {}

  @Override
  Answer<PluginReloads.Result> ask(AdminClient client) {
    return client.send("POST", "/api/v1/plugins/reload", Map.of(), PluginReloads.Result.class);
  }

  @Override
  List<String> lines(PluginReloads.Result answer) {
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
