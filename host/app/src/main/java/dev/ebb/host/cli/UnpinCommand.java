package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ebb unpin}: removes a pin. */
@Command(
    name = "unpin",
    description = "Lets an entry be evicted again",
    footerHeading = "%nExamples:%n",
    footer = {"  ebb unpin system-prompt", "  ebb unpin system-prompt --owner search"})
final class UnpinCommand extends AnswerCommand<Object> {

  @Parameters(paramLabel = "KEY", description = KeyText.HELP)
  private KeyText key;

  @Option(
      names = "--owner",
      paramLabel = "NAME",
      description = "Removes the pin of this owner; by default all pins")
  private @Nullable String owner;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  UnpinCommand() {}

  @Override
  Answer<Object> ask(AdminClient client) {
    String path = "/api/v1/pins/" + key.encoded();
    return client.delete(
        owner == null
            ? path
            : path + "?owner=" + Percent.encode(owner.getBytes(StandardCharsets.UTF_8)),
        Object.class);
  }

  @Override
  List<String> lines(Object answer) {
    return List.of("unpinned '%s'".formatted(key));
  }
}
