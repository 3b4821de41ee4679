package dev.ebb.host.cli;

import dev.ebb.host.admin.EntryDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.TimeSpan;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ebb pin}: protects an entry from eviction. */
@Command(
    name = "pin",
    description = "Protects an entry from eviction, within ebb.eviction.pin-budget",
    footer = {"  ebb pin system-prompt --owner search --for 10m", "  ebb pin hex:00ff10 --for 1d"})
final class PinCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  @Parameters(paramLabel = "KEY", description = KeyText.HELP)
  private KeyText key;

  @Option(
      names = "--owner",
      paramLabel = "NAME",
      description = "The owner of the pin; each owner has a pin of its own. By default operator")
  private @Nullable String owner;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      description = "How long: 90s, 10m, 2h, 7d, or seconds; by default until it is unpinned")
  private @Nullable String time;

  @Override
  public Integer call() {
    return server.show(this::request, PinCommand::lines);
  }

  private Answer<EntryDocument.PinDocument> request(AdminClient client) {
    Map<String, Object> pin = new LinkedHashMap<>();
    pin.put("key", key.encoded());
    if (owner != null) {
      pin.put("owner", owner);
    }
    if (time != null) {
      pin.put("seconds", seconds(time));
    }
    return client.send("POST", "/api/v1/pins", pin, EntryDocument.PinDocument.class);
  }

  private long seconds(String text) {
    return TimeSpan.parseOrSeconds(text)
        .map(Duration::toSeconds)
        .filter(seconds -> seconds > 0)
        .orElseThrow(() ->
            server.wrong(
                "--for: '%s' must be a duration of at least 1 s, such as 90s, 10m, 2h or 7d"
                    .formatted(text)));
  }

  private static List<String> lines(EntryDocument.PinDocument answer) {
    return List.of(
        "pinned '%s' for %s, %s%s"
            .formatted(
                Format.key(answer.key()),
                Format.text(answer.owner()),
                Format.bytes(answer.bytes()),
                answer.expiresAt() != null ? ", until " + Format.moment(answer.expiresAt()) : ""));
  }
}
