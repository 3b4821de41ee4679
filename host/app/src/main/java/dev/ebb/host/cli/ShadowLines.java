package dev.ebb.host.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Candidates for a terminal. */
final class ShadowLines {

  private static final List<String> NONE =
      List.of("no policy runs beside the active one; start some with 'ebb policy shadow add'");

  private ShadowLines() {}

  /** How far each is, and what it costs. */
  static List<String> states(Fields answer) {
    List<Fields> candidates = answer.list("/candidates");
    if (candidates.isEmpty()) {
      return NONE;
    }
    TextTable table =
        new TextTable(
            " ", "POLICY", "STATE", ">ACCESSES", ">ENTRIES", ">NS/ACCESS", ">NOT KEPT UP");
    for (Fields each : candidates) {
      table.add(
          List.of(
              each.flag("/active") ? "*" : "",
              each.text("/policy"),
              each.text("/state"),
              each.count("/sampledAccesses"),
              each.count("/sampledEntries"),
              each.count("/nanosPerAccess"),
              each.count("/droppedAccesses")));
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("a sample of %s of the keys; * is active".formatted(answer.percent("/rate")));
    candidates.stream()
        .filter(each -> each.has("/reason"))
        .forEach(each -> lines.add("%s: %s".formatted(each.text("/policy"), each.text("/reason"))));
    return lines;
  }

  /** What each would hit. */
  static List<String> comparison(Fields answer) {
    List<Fields> candidates = answer.list("/candidates");
    if (candidates.isEmpty()) {
      return NONE;
    }
    TextTable table = new TextTable(" ", "POLICY", ">HIT RATIO", "BAND", ">DIFFERENCE", "");
    for (Fields each : candidates) {
      boolean known = each.has("/hitRatio");
      table.add(
          List.of(
              each.flag("/active") ? "*" : "",
              each.text("/policy"),
              each.percent("/hitRatio"),
              known ? band(answer, each) : Fields.UNKNOWN,
              known ? points(each.number("/difference")) : Fields.UNKNOWN,
              remark(each)));
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add(
        answer.has("/hitRatio")
            ? "* %s is active; it has hit %s since %s, counted, not estimated"
                .formatted(
                    answer.text("/policy"), answer.percent("/hitRatio"), answer.moment("/since"))
            : "* %s is active; nothing is counted before all have warmed up"
                .formatted(answer.text("/policy")));
    return lines;
  }

  /** Of a sample of all keys there is no chance to be told of. */
  private static String band(Fields answer, Fields candidate) {
    return answer.number("/rate") == 1
        ? "none: all keys"
        : candidate.percent("/low") + " to " + candidate.percent("/high");
  }

  private static String points(double difference) {
    return String.format(Locale.ROOT, "%+.1f points", 100 * difference);
  }

  private static String remark(Fields candidate) {
    return switch (candidate.raw("/state")) {
      case "failed" -> "failed: " + candidate.text("/reason");
      case "warming-up" -> "warming up";
      default -> candidate.flag("/enough") ? "" : "too few accesses yet";
    };
  }
}
