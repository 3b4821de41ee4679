package dev.ebb.host.cli;

import dev.ebb.host.admin.RulesDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb policy rules list}: lists the rules, their signals and the deciding one. */
@Command(
    name = "list",
    description = "Lists the rules: the current value of each signal, and which rule decides",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy rules list", "  ebb policy rules list --json"})
final class RulesListCommand extends AnswerCommand<RulesDocument> {

  @Override
  Answer<RulesDocument> ask(AdminClient client) {
    return client.get("/api/v1/policy/rules", RulesDocument.class);
  }

  @Override
  List<String> lines(RulesDocument answer) {
    return RuleLines.of(answer);
  }
}
