package dev.ebb.server.cli;

import dev.ebb.server.peer.RunningSequences;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ebb engine sequences}. */
@Command(
    name = "sequences",
    description = "Lists the running sequences of an engine, and those that it has moved to others",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class EngineSequencesCommand implements Callable<Integer> {

  private static final String ROW = "%-8s %8s %8s %8s  %-12s %s";

  @Mixin private PeerOptions engine;

  @Override
  public Integer call() {
    return engine.show((client, url) -> client.sequences(url), EngineSequencesCommand::lines);
  }

  private static List<String> lines(RunningSequences running) {
    List<String> lines = new ArrayList<>();
    lines.add(
        ROW.formatted("ID", "PROMPT", "ANSWER", "MOST", "MOVED TO", "TENANT").stripTrailing());
    running.sequences().stream()
        .map(each ->
            ROW.formatted(
                    each.id(),
                    each.promptTokens(),
                    each.answerTokens(),
                    each.maxTokens(),
                    each.to() == null ? "" : each.to(),
                    each.tenant() == null ? "" : each.tenant())
                .stripTrailing())
        .forEach(lines::add);
    return lines;
  }
}
