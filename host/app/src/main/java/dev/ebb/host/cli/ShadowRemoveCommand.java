package dev.ebb.host.cli;

import dev.ebb.host.admin.ShadowDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb policy shadow remove}: ends a candidate. */
@Command(
    name = "remove",
    description = "Ends a candidate; without candidates nothing is sampled",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy shadow remove sieve"})
final class ShadowRemoveCommand extends AnswerCommand<ShadowDocument> {

  @Parameters(
      paramLabel = "NAME",
      description = "The candidate, as 'ebb policy shadow list' shows it")
  private String policy;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ShadowRemoveCommand() {}

  @Override
  Answer<ShadowDocument> ask(AdminClient client) {
    return client.delete(
        "/api/v1/shadows/" + Percent.encode(policy.getBytes(StandardCharsets.UTF_8)),
        ShadowDocument.class);
  }

  @Override
  List<String> lines(ShadowDocument answer) {
    return ShadowLines.states(answer);
  }
}
