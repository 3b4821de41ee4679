package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EntryDocument;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.units.Percent;
import dev.ebb.host.units.TimeSpan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands of {@code ebb} that list, explain and pin entries of a running Ebb. */
public final class EntryCommands {

  private static final String PINS = "/api/v1/pins";
  private static final int PAGE = 1_000;
  private static final int MOST_KEYS = 1_000_000;
  private static final String FIRST = "0";

  private EntryCommands() {}

  /** With JSON, writes the documents of the server as they are, one a line if it takes several. */
  @Command(
      description = "Lists the keys in memory, in no order; this does not count as a use",
      footer = {
        "  ebb keys --limit 20",
        "  ebb keys --prefix 'Llama-3-8B@' --json",
        "  ebb keys --namespaces"
      })
  static int keys(
      @Mixin ServerOptions server,
      @Option(
              names = "--prefix",
              paramLabel = "PREFIX",
              defaultValue = "",
              description =
                  "Only keys with this prefix: text, or hex: and two digits for each byte")
          KeyText prefix,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description = "How many at most; by default 100")
          int limit,
      @Option(
              names = "--namespaces",
              description =
                  "Lists the LoRA adapters, cache salts and deployments that the keys name, the"
                      + " one unused for the longest first; reads all keys")
          boolean namespaces) {
    if (namespaces) {
      if (prefix.bytes().length > 0) {
        throw new UserError("--namespaces lists those of all keys; leave out --prefix");
      }
      return server.show(
          client -> client.get("/api/v1/namespaces", EntryDocument.Namespaces.class),
          answer -> EntryLines.namespaces(answer.namespaces()));
    }
    server.between("--limit", limit, 1, MOST_KEYS);
    List<EntryDocument> entries = new ArrayList<>();
    String cursor = FIRST;
    int wanted = limit;
    Long diskValues = null;
    try (AdminClient client = server.open()) {
      do {
        Answer<EntryDocument.Page> answer =
            client.get(
                "/api/v1/entries?prefix=%s&limit=%d&cursor=%s"
                    .formatted(prefix.encoded(), Math.min(PAGE, wanted), cursor),
                EntryDocument.Page.class);
        EntryDocument.Page page = answer.document();
        entries.addAll(page.entries());
        diskValues = page.diskValues();
        cursor = page.next();
        wanted = limit - entries.size();
        if (server.wantsJson()) {
          server.print(answer.text());
        }
      } while (wanted > 0 && !cursor.equals(FIRST) && !cursor.isEmpty());
    }
    if (!server.wantsJson()) {
      server.print(EntryLines.keys(prefix, entries, cursor.equals(FIRST), diskValues));
    }
    return 0;
  }

  @Command(
      description =
          "Shows one entry, its pins, and the policy's explanation; this does not count as a use",
      footer = {"  ebb explain system-prompt", "  ebb explain hex:00ff10 --json"})
  static int explain(
      @Mixin ServerOptions server,
      @Parameters(paramLabel = "KEY", description = KeyText.HELP) KeyText key) {
    return server.show(
        client -> client.get("/api/v1/explain/" + key.encoded(), EntryDocument.Explained.class),
        EntryLines::explained);
  }

  @Command(
      description = "Protects an entry from eviction, within ebb.eviction.pin-budget",
      footer = {
        "  ebb pin system-prompt --owner search --for 10m",
        "  ebb pin hex:00ff10 --for 1d",
        "  ebb pin --system-file system.txt --tenant acme"
      })
  static int pin(
      @Mixin ServerOptions server,
      @Mixin PinTarget target,
      @Option(
              names = "--owner",
              paramLabel = "NAME",
              description =
                  "The owner of the pin; each owner has a pin of its own. By default operator")
          @Nullable String owner,
      @Option(
              names = "--for",
              paramLabel = "TIME",
              description =
                  "How long: 90s, 10m, 2h, 7d, or seconds; by default until it is unpinned")
          @Nullable String time) {
    Map<String, Object> pin = new LinkedHashMap<>(target.body(server));
    if (owner != null) {
      pin.put("owner", owner);
    }
    if (time != null) {
      pin.put("seconds", seconds(server, time));
    }
    return server.show(
        client -> client.send("POST", PINS, pin, EntryDocument.PinDocument.class),
        EntryLines.PINNED::lines);
  }

  private static long seconds(ServerOptions server, String text) {
    return TimeSpan.parseOrSeconds(text)
        .map(Duration::toSeconds)
        .filter(seconds -> seconds > 0)
        .orElseThrow(() ->
            server.wrong(
                "--for: '%s' must be a duration of at least 1 s, such as 90s, 10m, 2h or 7d"
                    .formatted(text)));
  }

  @Command(
      description = "Unpins an entry, so that it can be evicted again",
      footer = {"  ebb unpin system-prompt", "  ebb unpin system-prompt --owner search"})
  static int unpin(
      @Mixin ServerOptions server,
      @Parameters(paramLabel = "KEY", description = KeyText.HELP) KeyText key,
      @Option(
              names = "--owner",
              paramLabel = "NAME",
              description = "Removes the pin of this owner; by default all pins")
          @Nullable String owner) {
    String of = owner == null ? "" : "?owner=" + Percent.encode(owner);
    return server.show(
        client -> client.delete(PINS + "/" + key.encoded() + of, Object.class),
        answer -> List.of("unpinned '%s'".formatted(key)));
  }

  @Command(
      description = "Lists the entries that operators have pinned",
      footer = {"  ebb pins", "  ebb pins --json"})
  static int pins(@Mixin ServerOptions server) {
    return server.show(
        client -> client.get(PINS, EntryDocument.Pins.class),
        answer -> EntryLines.pins(answer.pins()));
  }
}
