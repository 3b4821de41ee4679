package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code ebb policy rollback}: the policy before, and the JAR it came from. */
@Command(
    name = "rollback",
    description =
        "Goes back to the policy before the active one, and to the JAR that it came from then",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy rollback"})
final class PolicyRollbackCommand extends AnswerCommand {

  PolicyRollbackCommand() {}

  @Override
  Answer ask(AdminClient client) {
    return client.send("POST", "/api/v1/policy/rollback", Map.of());
  }

  @Override
  List<String> lines(Fields answer) {
    String said =
        "%s is active again, before it was '%s'"
            .formatted(SwapTable.policy(answer.in("/version")), answer.text("/before"));
    return answer.flag("/rulesPaused") ? List.of(said, RuleLines.PAUSED) : List.of(said);
  }
}
