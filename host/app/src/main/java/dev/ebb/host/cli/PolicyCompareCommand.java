package dev.ebb.host.cli;

import dev.ebb.host.admin.ShadowDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb policy compare}: compares the hit ratios of the candidates. */
@Command(
    name = "compare",
    description =
        "Shows what each policy started with 'ebb policy shadow add' would hit, beside the one in"
            + " force",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb policy compare", "  ebb policy compare --json"})
final class PolicyCompareCommand extends AnswerCommand<ShadowDocument> {

  @Override
  Answer<ShadowDocument> ask(AdminClient client) {
    return client.get("/api/v1/shadows", ShadowDocument.class);
  }

  @Override
  List<String> lines(ShadowDocument answer) {
    return ShadowLines.comparison(answer);
  }
}
