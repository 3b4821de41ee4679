package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.entries.PassDocument;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The last removed entries, a line each, in the order of removal. */
final class EvictionLines {

  private static final String HEADER =
      "TIME                 CAUSE              SIZE          AGE         IDLE    USES      SCORE"
          + "  TENANT      KEY";

  private static final TextTemplate<EvictionDocument> ENTRY =
      TextTemplate.of(
          EvictionDocument.class,
          "{time,-19:moment}  {why,-12}  {bytes,9:bytes}  {ageSeconds,11:seconds}"
              + "  {idleSeconds,11:seconds}  {accesses,6:count}  {score,9:decimal}  {tenant,-10}"
              + "  {name}",
          new Computed<>("why", EvictionLines::cause),
          new Computed<>(
              "name", each -> each.key() != null ? Format.key(each.key()) : each.text()));

  private static final TextTemplate<PassDocument> PASS =
      TextTemplate.of(
          PassDocument.class,
          "{time,-19:moment}  {by,-12}  {freedBytes,9:bytes}  pass: {entries:entry|entries} of"
              + " {policy}, asked for {askedBytes:bytes}, {refused:count} refused; {before:bytes}"
              + " before, {after:bytes} after, {seconds:seconds}");

  /** The server returns the latest passes each time, including those returned before. */
  private Set<PassDocument> shown = new HashSet<>();

  /** A line with its time. */
  private record Line(String moment, String text) {}

  /** The header, and the first document; of the passes only those among its entries. */
  List<String> first(EvictionDocument.Log document) {
    List<Line> lines = entries(document);
    String oldest = lines.isEmpty() ? "" : lines.getFirst().moment();
    boolean none = document.evictions().isEmpty();
    passes(document).stream()
        .filter(pass -> !none && pass.moment().compareTo(oldest) >= 0)
        .forEach(lines::add);
    List<String> texts = new ArrayList<>(inOrder(lines));
    texts.addFirst(HEADER);
    return texts;
  }

  /** What is new in a later document. */
  List<String> next(EvictionDocument.Log document) {
    List<Line> lines = entries(document);
    lines.addAll(passes(document));
    List<String> texts = new ArrayList<>(inOrder(lines));
    if (document.missed() > 0) {
      texts.addFirst(
          "... %s more left in between; ebb.eviction.log-size says how many are kept"
              .formatted(Format.count(document.missed())));
    }
    return texts;
  }

  private static List<String> inOrder(List<Line> lines) {
    return lines.stream().sorted(Comparator.comparing(Line::moment)).map(Line::text).toList();
  }

  private static List<Line> entries(EvictionDocument.Log document) {
    return document.evictions().stream()
        .map(entry -> new Line(entry.time(), ENTRY.line(entry)))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  /** Why, or on whose account, says more than that it was evicted. */
  static String cause(EvictionDocument entry) {
    if (!entry.reason().equals("chosen")) {
      return entry.group() == null ? entry.reason() : entry.reason() + " " + entry.group();
    }
    return Objects.requireNonNullElse(entry.by(), entry.cause());
  }

  private List<Line> passes(EvictionDocument.Log document) {
    List<Line> lines =
        document.passes().stream()
            .filter(pass -> !shown.contains(pass))
            .map(pass -> new Line(pass.time(), PASS.line(pass)))
            .toList();
    shown = Set.copyOf(document.passes());
    return lines;
  }
}
