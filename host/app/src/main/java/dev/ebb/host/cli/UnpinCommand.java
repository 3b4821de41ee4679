package dev.ebb.host.cli;

import dev.ebb.host.units.Percent;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ebb unpin}: removes a pin. */
@Command(
    name = "unpin",
    description = "Lets an entry be evicted again",
    footer = {"  ebb unpin system-prompt", "  ebb unpin system-prompt --owner search"})
final class UnpinCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  @Parameters(paramLabel = "KEY", description = KeyText.HELP)
  private KeyText key;

  @Option(
      names = "--owner",
      paramLabel = "NAME",
      description = "Removes the pin of this owner; by default all pins")
  private @Nullable String owner;

  @Override
  public Integer call() {
    String of = owner == null ? "" : "?owner=" + Percent.encode(owner);
    return server.show(
        client -> client.delete("/api/v1/pins/" + key.encoded() + of, Object.class),
        answer -> List.of("unpinned '%s'".formatted(key)));
  }
}
