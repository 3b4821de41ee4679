package dev.ebb.host.cli;

import dev.ebb.host.admin.PolicyDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb policy set}: activates another policy in a running Ebb. */
@Command(
    name = "set",
    description = "Activates a policy, under traffic; nothing is evicted by the change",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy set sieve", "  ebb policy set 'lfu(ageing=dynamic)'"})
final class PolicySetCommand extends AnswerCommand<PolicyDocument.Changed> {

  @Parameters(
      paramLabel = "NAME",
      description =
          "The policy's name, with settings in parentheses if wanted; see 'ebb policy list'")
  private String name;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PolicySetCommand() {}

  @Override
  Answer<PolicyDocument.Changed> ask(AdminClient client) {
    return client.send(
        "PUT", "/api/v1/policy", Map.of("policy", name), PolicyDocument.Changed.class);
  }

  @Override
  List<String> lines(PolicyDocument.Changed answer) {
    String now = Format.text(answer.policy());
    String before = Format.text(answer.before());
    String said =
        now.equals(before)
            ? same(now, answer.changes().isEmpty())
            : "'%s' is active, before it was '%s'".formatted(now, before);
    return answer.rulesPaused() ? List.of(said, RuleLines.PAUSED) : List.of(said);
  }

  private static String same(String policy, boolean nothingChanged) {
    return (nothingChanged ? "'%s' is active already" : "'%s' is active with these settings")
        .formatted(policy);
  }
}
