package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EntryDocument;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.List;

/** Entries and pins for a terminal. */
final class EntryLines {

  private static final Columns<EntryDocument> KEYS =
      Columns.of(
          EntryDocument.class,
          """
          >SIZE | {bytes:bytes}
          >AGE | {ageSeconds:seconds}
          >IDLE | {idleSeconds:seconds}
          >USES | {accesses:count}
          STATE | {state}
          PINNED | [{?pins}yes][{!pins}no]
          TENANT | {tenant}
          KEY | {key:key}
          """);

  private static final TextTemplate<EntryDocument.Explained> ENTRY =
      TextTemplate.of(
          EntryDocument.Explained.class,
          """
          key      {entry.key:key}
          value    {entry.bytes:bytes}, takes {entry.chargedBytes:bytes} of the pool
          state    {entry.state}
          used     {entry.accesses:time|times}, put {entry.ageSeconds:seconds} ago, last used {entry.idleSeconds:seconds} ago
          [expires  {entry.expiresAt:moment}, in {entry.expiresAt:until}]
          [{?owned}of       tenant {entry.tenant}, model {entry.model}, rank {entry.rank:count}]
          [{?entry.readers}kept     {entry.readers:reads|read} it]
          """,
          new Computed<>(
              "owned",
              answer -> answer.entry().tenant() != null || answer.entry().model() != null));

  private static final TextTemplate<EntryDocument.PinDocument> KEPT =
      TextTemplate.of(
          EntryDocument.PinDocument.class,
          "kept     pinned by {owner} since {since:moment}[, for {expiresAt:until} more]");

  private static final TextTemplate<EntryDocument.Explained> POLICY =
      TextTemplate.of(
          EntryDocument.Explained.class,
          """
          policy   {policy}
          [score    {score:decimal}]
          [says     {text}]
          """);

  static final TextTemplate<EntryDocument.PinDocument> PINNED =
      TextTemplate.of(
          EntryDocument.PinDocument.class,
          "pinned '{key:key}' for {owner}, {bytes:bytes}[, until {expiresAt:moment}]");

  private static final Columns<EntryDocument.PinDocument> PINS =
      Columns.of(
          EntryDocument.PinDocument.class,
          """
          >SIZE | {bytes:bytes}
          >LEFT | {expiresAt:until}
          SINCE | {since:moment}
          OWNER | {owner}
          KEY | {key:key}
          """);

  private EntryLines() {}

  /**
   * A table of entries.
   *
   * @param prefix of their keys
   * @param all whether there are no others
   */
  static List<String> keys(KeyText prefix, List<EntryDocument> entries, boolean all) {
    if (entries.isEmpty()) {
      return List.of(
          prefix.bytes().length == 0
              ? "the cache is empty"
              : "no key starts with '%s'".formatted(prefix));
    }
    List<String> lines = new ArrayList<>(KEYS.lines(entries));
    if (!all) {
      lines.add("... possibly more; use --limit or --prefix to see them");
    }
    return lines;
  }

  /** One entry, and what the policy says about it. */
  static List<String> explained(EntryDocument.Explained answer) {
    List<String> lines = new ArrayList<>(ENTRY.lines(answer));
    answer.entry().pins().forEach(pin -> lines.add(KEPT.line(pin)));
    lines.addAll(POLICY.lines(answer));
    return lines;
  }

  /** A table of pins. */
  static List<String> pins(List<EntryDocument.PinDocument> pins) {
    return pins.isEmpty() ? List.of("nothing is pinned") : PINS.lines(pins);
  }
}
