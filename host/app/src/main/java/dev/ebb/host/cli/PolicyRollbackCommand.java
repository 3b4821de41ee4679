package dev.ebb.host.cli;

import dev.ebb.host.admin.PolicyDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code ebb policy rollback}: returns to the previous policy, and to its JAR. */
@Command(
    name = "rollback",
    description = "Returns to the previous policy, and to the JAR that it was loaded from",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy rollback"})
final class PolicyRollbackCommand extends AnswerCommand<PolicyDocument.RolledBack> {

  PolicyRollbackCommand() {}

  @Override
  Answer<PolicyDocument.RolledBack> ask(AdminClient client) {
    return client.send(
        "POST", "/api/v1/policy/rollback", Map.of(), PolicyDocument.RolledBack.class);
  }

  @Override
  List<String> lines(PolicyDocument.RolledBack answer) {
    String said =
        "%s is active again, before it was '%s'"
            .formatted(SwapTable.policy(answer.version()), Format.text(answer.before()));
    return answer.rulesPaused() ? List.of(said, RuleLines.PAUSED) : List.of(said);
  }
}
