package dev.ebb.host.cli;

import dev.ebb.host.admin.ShadowDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ebb policy shadow add}: starts candidates. */
@Command(
    name = "add",
    description = "Starts candidates; 'ebb policy compare' shows their hit ratios",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb policy shadow add sieve,arc",
      "  ebb policy shadow add \"lfu(ageing=dynamic)\""
    })
final class ShadowAddCommand extends AnswerCommand<ShadowDocument> {

  @Parameters(
      paramLabel = "LIST",
      description = "Policies, separated by commas, each with settings in parentheses if wanted")
  private String policies;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  ShadowAddCommand() {}

  @Override
  Answer<ShadowDocument> ask(AdminClient client) {
    return client.send(
        "POST", "/api/v1/shadows", Map.of("policies", parsed()), ShadowDocument.class);
  }

  private List<String> parsed() {
    try {
      return PolicySpec.parseList(policies, "LIST").stream().map(PolicySpec::display).toList();
    } catch (UserError unreadable) {
      throw wrong(String.valueOf(unreadable.getMessage()));
    }
  }

  @Override
  List<String> lines(ShadowDocument answer) {
    return ShadowLines.states(answer);
  }
}
