package dev.ebb.host.cli;

import dev.ebb.host.admin.RulesDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code ebb policy rules pause}: activates the configured policy, whatever the rules. */
@Command(
    name = "pause",
    description = "Pauses the rules until they are resumed: the configured policy is active",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy rules pause"})
final class RulesPauseCommand extends AnswerCommand<RulesDocument> {

  @Override
  Answer<RulesDocument> ask(AdminClient client) {
    return client.send("POST", "/api/v1/policy/rules/pause", Map.of(), RulesDocument.class);
  }

  @Override
  List<String> lines(RulesDocument answer) {
    return RuleLines.of(answer);
  }
}
