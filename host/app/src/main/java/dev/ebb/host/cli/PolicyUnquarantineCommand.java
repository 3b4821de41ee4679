package dev.ebb.host.cli;

import dev.ebb.host.admin.QuarantineDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb policy unquarantine}: removes a policy from quarantine. */
@Command(
    name = "unquarantine",
    description =
        "Removes a policy from quarantine, so that it can be chosen again; does not activate it",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy unquarantine acme-lru", "  ebb policy unquarantine acme-lru --json"})
final class PolicyUnquarantineCommand extends AnswerCommand<QuarantineDocument.Cleared> {

  @Parameters(paramLabel = "NAME", description = "The policy's name; see 'ebb policy show'")
  private String name;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PolicyUnquarantineCommand() {}

  @Override
  Answer<QuarantineDocument.Cleared> ask(AdminClient client) {
    return client.delete(
        "/api/v1/quarantine/" + Percent.encode(name.getBytes(StandardCharsets.UTF_8)),
        QuarantineDocument.Cleared.class);
  }

  @Override
  List<String> lines(QuarantineDocument.Cleared answer) {
    return List.of(
        "'%s' is no longer in quarantine; 'ebb policy set %s' activates it"
            .formatted(Format.text(answer.policy()), Format.text(answer.policy())));
  }
}
