package dev.ebb.host.cli;

import dev.ebb.host.admin.ShadowDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb policy shadow list}: lists the candidates. */
@Command(
    name = "list",
    description = "Lists the candidates: progress, cost, failures",
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
