package dev.ebb.server.cli;

import dev.ebb.host.units.ByteSize;
import dev.ebb.server.peer.Moved;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ebb engine move}. */
@Command(
    name = "move",
    description = "Moves a running sequence to another engine; its client notices nothing",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footerHeading = "%nExample:%n",
    footer = {"  ebb engine move 17 --to http://10.0.0.2:8000", "", "See docs/engine.md."})
final class EngineMoveCommand implements Callable<Integer> {

  @Parameters(paramLabel = "ID", description = "The sequence, as 'ebb engine sequences' lists it")
  private long id;

  @Option(
      names = "--to",
      paramLabel = "URL",
      required = true,
      description = "The other engine, which serves the same model")
  private String target;

  @Mixin private PeerOptions engine;

  @Override
  public Integer call() {
    return engine.show(
        (client, url) -> client.move(url, id, target), moved -> List.of(text(moved)));
  }

  private static String text(Moved moved) {
    return "moved sequence %d to %s: %d tokens, %d blocks with %s copied, pause %d ms"
        .formatted(
            moved.sequence(),
            moved.to(),
            moved.tokens(),
            moved.blocks(),
            ByteSize.format(moved.bytes()),
            moved.pauseMillis());
  }
}
