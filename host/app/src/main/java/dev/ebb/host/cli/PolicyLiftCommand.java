package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb policy lift}: lets a policy be chosen again that has failed. */
@Command(
    name = "lift",
    description =
        "Lets a policy be chosen again that was put in quarantine because it broke its contract;"
            + " does not put it in force",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy lift acme-lru", "  ebb policy lift acme-lru --json"})
final class PolicyLiftCommand extends AnswerCommand {

  @Parameters(paramLabel = "NAME", description = "The policy's name; see 'ebb policy show'")
  private String name;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PolicyLiftCommand() {}

  @Override
  Answer ask(AdminClient client) {
    return client.delete(
        "/api/v1/quarantine/" + Percent.encode(name.getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  List<String> lines(Fields answer) {
    return List.of(
        "'%s' can be chosen again: 'ebb policy set %s' puts it in force"
            .formatted(answer.text("/policy"), answer.text("/policy")));
  }
}
