package dev.ebb.host.cli;

import dev.ebb.host.admin.EntryDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ebb keys}: lists the keys in the cache. */
@Command(
    name = "keys",
    description = "Lists the keys in the cache, in no order; this does not count as a use",
    footer = {"  ebb keys --limit 20", "  ebb keys --prefix 'Llama-3-8B@' --json"})
final class KeysCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  private static final int PAGE = 1_000;
  private static final int MOST = 1_000_000;
  private static final String FIRST = "0";

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "Only keys with this prefix: text, or hex: and two digits for each byte")
  private KeyText prefix;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "How many at most; by default 100")
  private int limit;

  /** With JSON, writes the documents of the server as they are, one a line if it takes several. */
  @Override
  public Integer call() {
    server.between("--limit", limit, 1, MOST);
    List<EntryDocument> entries = new ArrayList<>();
    String cursor = FIRST;
    int wanted = limit;
    try (AdminClient client = server.open()) {
      do {
        Answer<EntryDocument.Page> answer =
            client.get(
                "/api/v1/entries?prefix=%s&limit=%d&cursor=%s"
                    .formatted(prefix.encoded(), Math.min(PAGE, wanted), cursor),
                EntryDocument.Page.class);
        EntryDocument.Page page = answer.document();
        entries.addAll(page.entries());
        cursor = page.next();
        wanted = limit - entries.size();
        if (server.wantsJson()) {
          server.print(answer.text());
        }
      } while (wanted > 0 && !cursor.equals(FIRST) && !cursor.isEmpty());
    }
    if (!server.wantsJson()) {
      server.print(lines(entries, cursor.equals(FIRST)));
    }
    return 0;
  }

  private List<String> lines(List<EntryDocument> entries, boolean all) {
    if (entries.isEmpty()) {
      return List.of(
          prefix.bytes().length == 0
              ? "the cache is empty"
              : "no key starts with '%s'".formatted(prefix));
    }
    TextTable table =
        new TextTable(">SIZE", ">AGE", ">IDLE", ">USES", "STATE", "PINNED", "TENANT", "KEY");
    entries.forEach(entry -> table.add(row(entry)));
    List<String> lines = new ArrayList<>(table.lines());
    if (!all) {
      lines.add("... and perhaps more; use --limit or --prefix to see them");
    }
    return lines;
  }

  private static List<String> row(EntryDocument entry) {
    return List.of(
        Format.bytes(entry.bytes()),
        Format.seconds(entry.ageSeconds()),
        Format.seconds(entry.idleSeconds()),
        Format.count(entry.accesses()),
        Format.text(entry.state()),
        entry.pins().isEmpty() ? "no" : "yes",
        Format.text(entry.tenant()),
        Format.key(entry.key()));
  }
}
