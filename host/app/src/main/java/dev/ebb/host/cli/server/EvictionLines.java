package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.entries.PassDocument;
import dev.ebb.host.cli.output.Format;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** The last removed entries, a line each, in the order of removal. */
final class EvictionLines {

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
    List<String> texts = new ArrayList<>();
    texts.add(row("TIME", "CAUSE", "SIZE", "AGE", "IDLE", "USES", "SCORE", "TENANT", "KEY"));
    texts.addAll(inOrder(lines));
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
    List<Line> lines = new ArrayList<>();
    for (EvictionDocument entry : document.evictions()) {
      lines.add(
          new Line(
              entry.time(),
              row(
                  Format.moment(entry.time()),
                  Format.text(cause(entry)),
                  Format.bytes(entry.bytes()),
                  Format.seconds(entry.ageSeconds()),
                  Format.seconds(entry.idleSeconds()),
                  Format.count(entry.accesses()),
                  Format.decimal(entry.score()),
                  Format.text(entry.tenant()),
                  entry.key() != null ? Format.key(entry.key()) : Format.text(entry.text()))));
    }
    return lines;
  }

  /** Why, or on whose account, says more than that it was evicted. */
  static String cause(EvictionDocument entry) {
    if (!entry.reason().equals("chosen")) {
      return entry.group() == null ? entry.reason() : entry.reason() + " " + entry.group();
    }
    return Objects.requireNonNullElse(entry.by(), entry.cause());
  }

  private List<Line> passes(EvictionDocument.Log document) {
    Set<PassDocument> now = new HashSet<>();
    List<Line> lines = new ArrayList<>();
    for (PassDocument pass : document.passes()) {
      now.add(pass);
      if (!shown.contains(pass)) {
        lines.add(new Line(pass.time(), pass(pass)));
      }
    }
    shown = now;
    return lines;
  }

  private static String pass(PassDocument pass) {
    return "%-19s  %-12s  %9s  pass: %s of %s, asked for %s, %s refused; %s before, %s after, %s"
        .formatted(
            Format.moment(pass.time()),
            Format.text(pass.by()),
            Format.bytes(pass.freedBytes()),
            Format.count(pass.entries(), "entry", "entries"),
            Format.text(pass.policy()),
            Format.bytes(pass.askedBytes()),
            Format.count(pass.refused()),
            Format.bytes(pass.before()),
            Format.bytes(pass.after()),
            Format.seconds(pass.seconds()));
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, "%-19s  %-12s  %9s  %11s  %11s  %6s  %9s  %-10s  %s", cells)
        .stripTrailing();
  }
}
