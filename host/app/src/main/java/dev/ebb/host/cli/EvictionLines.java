package dev.ebb.host.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What left, a line each, in the order in which it happened. */
final class EvictionLines {

  /** The server tells the last passes each time, whether they were told before or not. */
  private Set<String> shown = new HashSet<>();

  /** A line with the moment that it is about. */
  private record Line(String moment, String text) {}

  /** The header, and the first document; of the passes only those among its entries. */
  List<String> first(Fields document) {
    List<Line> lines = entries(document);
    String oldest = lines.isEmpty() ? "" : lines.getFirst().moment();
    boolean none = document.list("/evictions").isEmpty();
    passes(document).stream()
        .filter(pass -> !none && pass.moment().compareTo(oldest) >= 0)
        .forEach(lines::add);
    List<String> texts = new ArrayList<>();
    texts.add(row("TIME", "CAUSE", "SIZE", "AGE", "IDLE", "USES", "SCORE", "TENANT", "KEY"));
    texts.addAll(inOrder(lines));
    return texts;
  }

  /** What is new in a later document. */
  List<String> next(Fields document) {
    List<Line> lines = entries(document);
    lines.addAll(passes(document));
    List<String> texts = new ArrayList<>(inOrder(lines));
    if (document.number("/missed") > 0) {
      texts.addFirst(
          "... %s more left in between; ebb.eviction.log-size says how many are kept"
              .formatted(document.count("/missed")));
    }
    return texts;
  }

  private static List<String> inOrder(List<Line> lines) {
    return lines.stream().sorted(Comparator.comparing(Line::moment)).map(Line::text).toList();
  }

  private static List<Line> entries(Fields document) {
    List<Line> lines = new ArrayList<>();
    for (Fields entry : document.list("/evictions")) {
      lines.add(
          new Line(
              entry.raw("/time"),
              row(
                  entry.moment("/time"),
                  cause(entry),
                  entry.bytes("/bytes"),
                  entry.seconds("/ageSeconds"),
                  entry.seconds("/idleSeconds"),
                  entry.count("/accesses"),
                  entry.decimal("/score"),
                  entry.text("/tenant"),
                  entry.has("/key") ? entry.key("/key") : entry.text("/text"))));
    }
    return lines;
  }

  /** On whose account says more than that it was evicted. */
  private static String cause(Fields entry) {
    return entry.has("/by") ? entry.text("/by") : entry.text("/cause");
  }

  private List<Line> passes(Fields document) {
    Set<String> now = new HashSet<>();
    List<Line> lines = new ArrayList<>();
    for (Fields pass : document.list("/passes")) {
      String identity = pass.node().toString();
      now.add(identity);
      if (!shown.contains(identity)) {
        lines.add(new Line(pass.raw("/time"), pass(pass)));
      }
    }
    shown = now;
    return lines;
  }

  private static String pass(Fields pass) {
    return "%-19s  %-12s  %9s  pass: %s of %s, asked for %s, %s refused; %s before, %s after, %s"
        .formatted(
            pass.moment("/time"),
            pass.text("/by"),
            pass.bytes("/freedBytes"),
            pass.count("/entries", "entry", "entries"),
            pass.text("/policy"),
            pass.bytes("/askedBytes"),
            pass.count("/refused"),
            pass.bytes("/before"),
            pass.bytes("/after"),
            pass.seconds("/seconds"));
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, "%-19s  %-12s  %9s  %11s  %11s  %6s  %9s  %-10s  %s", cells)
        .stripTrailing();
  }
}
