package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EntryDocument;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  private static final Columns<EntryDocument.NamespaceUse> NAMESPACES =
      Columns.of(
          EntryDocument.NamespaceUse.class,
          """
          >IDLE | {idleSeconds:seconds}
          >ENTRIES | {entries:count}
          >SIZE | {bytes:bytes}
          MODEL | {model}
          LORA | {lora}
          SALT | {salt}
          DEPLOYMENT | {deployment}
          """);

  private static final TextTemplate<EntryDocument.Explained> ENTRY =
      TextTemplate.of(
          EntryDocument.Explained.class,
          """
          key      {entry.key:key}
          [{!disk}value    {entry.bytes:bytes}, takes {entry.chargedBytes:bytes} of the pool]
          [{?disk}value    {entry.bytes:bytes}, on the disk and not in memory]
          [{!disk}state    {entry.state}]
          [{!disk}used     {entry.accesses:time|times}, put {entry.ageSeconds:seconds} ago, last used {entry.idleSeconds:seconds} ago]
          [{?disk}written  {entry.writtenAt:moment}, {entry.ageSeconds:seconds} ago]
          [expires  {entry.expiresAt:moment}, in {entry.expiresAt:until}]
          [{?owned}of       tenant {entry.tenant}, model {entry.model}, LoRA adapter {entry.lora}, rank {entry.rank:count}]
          [{?entry.readers}kept     {entry.readers:reads|read} it]
          """,
          new Computed<>("disk", answer -> answer.entry().writtenAt() != null),
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
          [policy   {policy}]
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
   * @param diskValues the values on the disk, which are not listed; null without a disk
   */
  static List<String> keys(
      KeyText prefix, List<EntryDocument> entries, boolean all, @Nullable Long diskValues) {
    List<String> lines = new ArrayList<>();
    if (entries.isEmpty()) {
      String where = diskValues == null ? "" : " in memory";
      lines.add(
          prefix.bytes().length == 0
              ? diskValues == null ? "the cache is empty" : "memory is empty"
              : "no key%s starts with '%s'".formatted(where, prefix));
    } else {
      lines.addAll(KEYS.lines(entries));
    }
    if (!all) {
      lines.add("... possibly more; use --limit or --prefix to see them");
    }
    if (diskValues != null && diskValues > 0) {
      lines.add(
          "The disk has %s, whose keys are not listed; 'ebb explain KEY' finds one of them."
              .formatted(Format.count(diskValues, "value", "values")));
    }
    return lines;
  }

  /** A table of namespaces. */
  static List<String> namespaces(List<EntryDocument.NamespaceUse> namespaces) {
    return namespaces.isEmpty() ? List.of("memory is empty") : NAMESPACES.lines(namespaces);
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
