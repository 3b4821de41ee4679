package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code ebb plugins reload}: makes a running Ebb look at its drop-in folder. */
@Command(
    name = "reload",
    description =
        "Makes a running Ebb look at its drop-in folder now, at JARs too that did not take over or"
            + " that were rolled back",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb plugins reload", "  ebb plugins reload --json"})
final class PluginsReloadCommand extends AnswerCommand {

  PluginsReloadCommand() {}

  @Override
  Answer ask(AdminClient client) {
    return client.send("POST", "/api/v1/plugins/reload", Map.of());
  }

  @Override
  List<String> lines(Fields answer) {
    List<String> lines = new ArrayList<>();
    answer.list("/loaded").forEach(each -> lines.add("loaded " + each.text("")));
    answer.list("/dropped").forEach(each -> lines.add("dropped " + each.text("")));
    answer.list("/failures").forEach(each -> lines.add("not taken over: " + each.text("")));
    if (lines.isEmpty()) {
      lines.add("nothing has changed");
    }
    lines.add("'%s' is active".formatted(answer.text("/policy")));
    return lines;
  }
}
