package dev.ebb.host.cli;

import dev.ebb.host.admin.RulesDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code ebb policy rules resume}: resumes the rules. */
@Command(
    name = "resume",
    description = "Resumes the rules, within a second",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy rules resume"})
final class RulesResumeCommand extends AnswerCommand<RulesDocument> {

  @Override
  Answer<RulesDocument> ask(AdminClient client) {
    return client.send("POST", "/api/v1/policy/rules/resume", Map.of(), RulesDocument.class);
  }

  @Override
  List<String> lines(RulesDocument answer) {
    return RuleLines.of(answer);
  }
}
