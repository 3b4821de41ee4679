package dev.ebb.host.cli;

import dev.ebb.host.admin.ShadowDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb policy shadow list}: which candidates run, and how they keep up. */
@Command(
    name = "list",
    description = "Lists the candidates: how far each is, what it costs, why it failed",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy shadow list", "  ebb policy shadow list --json"})
final class ShadowListCommand extends AnswerCommand<ShadowDocument> {

  @Override
  Answer<ShadowDocument> ask(AdminClient client) {
    return client.get("/api/v1/shadows", ShadowDocument.class);
  }

  @Override
  List<String> lines(ShadowDocument answer) {
    return ShadowLines.states(answer);
  }
}
