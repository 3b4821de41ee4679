package dev.ebb.host.cli;

import dev.ebb.host.admin.PoolDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ebb pool stats}: shows a running Ebb's memory. */
@Command(
    name = "stats",
    description = "Shows the pools of a running Ebb: the use of their memory, open sequences",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb pool stats", "  ebb pool stats --url http://127.0.0.1:9091 --json"})
final class PoolStatsCommand extends AnswerCommand<PoolDocument.All> {

  @Override
  Answer<PoolDocument.All> ask(AdminClient client) {
    return client.get("/api/v1/pool", PoolDocument.All.class);
  }

  @Override
  List<String> lines(PoolDocument.All answer) {
    return PoolLines.stats(answer.pools());
  }
}
