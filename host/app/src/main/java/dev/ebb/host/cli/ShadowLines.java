package dev.ebb.host.cli;

import dev.ebb.host.admin.ShadowDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Candidates for a terminal. */
final class ShadowLines {

  private static final List<String> NONE =
      List.of("no policy runs beside the active one; start some with 'ebb policy shadow add'");

  private ShadowLines() {}

  /** How far each is, and what it costs. */
  static List<String> states(ShadowDocument answer) {
    List<ShadowDocument.Candidate> candidates = answer.candidates();
    if (candidates.isEmpty()) {
      return NONE;
    }
    TextTable table =
        new TextTable(
            " ", "POLICY", "STATE", ">ACCESSES", ">ENTRIES", ">NS/ACCESS", ">NOT KEPT UP");
    for (ShadowDocument.Candidate each : candidates) {
      table.add(
          List.of(
              each.active() ? "*" : "",
              Format.text(each.policy()),
              Format.text(each.state()),
              Format.count(each.sampledAccesses()),
              Format.count(each.sampledEntries()),
              Format.count(each.nanosPerAccess()),
              Format.count(each.droppedAccesses())));
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("a sample of %s of the keys; * is active".formatted(Format.percent(answer.rate())));
    candidates.stream()
        .filter(each -> each.reason() != null)
        .forEach(each ->
            lines.add("%s: %s".formatted(Format.text(each.policy()), Format.text(each.reason()))));
    return lines;
  }

  /** What each would hit. */
  static List<String> comparison(ShadowDocument answer) {
    List<ShadowDocument.Candidate> candidates = answer.candidates();
    if (candidates.isEmpty()) {
      return NONE;
    }
    boolean chains = candidates.stream().anyMatch(each -> each.prefixHitRatio() != null);
    TextTable table =
        chains
            ? new TextTable(" ", "POLICY", ">HIT RATIO", "BAND", ">DIFFERENCE", ">PREFIX HITS", "")
            : new TextTable(" ", "POLICY", ">HIT RATIO", "BAND", ">DIFFERENCE", "");
    for (ShadowDocument.Candidate each : candidates) {
      List<String> row = new ArrayList<>();
      row.add(each.active() ? "*" : "");
      row.add(Format.text(each.policy()));
      row.add(Format.percent(each.hitRatio()));
      row.add(each.hitRatio() == null ? Format.UNKNOWN : band(answer, each));
      row.add(points(each.difference()));
      if (chains) {
        row.add(Format.percent(each.prefixHitRatio()));
      }
      row.add(remark(each));
      table.add(row);
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add(
        answer.hitRatio() != null
            ? "* %s is active; its counted hit ratio since %s is %s%s"
                .formatted(
                    Format.text(answer.policy()),
                    Format.moment(answer.since()),
                    Format.percent(answer.hitRatio()),
                    answer.prefixHitRatio() == null
                        ? ""
                        : ", its prefix hits " + Format.percent(answer.prefixHitRatio()))
            : "* %s is active; counting starts when all have warmed up"
                .formatted(Format.text(answer.policy())));
    return lines;
  }

  /** A sample of all keys has no confidence interval. */
  private static String band(ShadowDocument answer, ShadowDocument.Candidate candidate) {
    return Objects.equals(answer.rate(), 1.0)
        ? "none: all keys"
        : Format.percent(candidate.low()) + " to " + Format.percent(candidate.high());
  }

  private static String points(@Nullable Double difference) {
    return difference == null
        ? Format.UNKNOWN
        : String.format(Locale.ROOT, "%+.1f points", 100 * difference);
  }

  private static String remark(ShadowDocument.Candidate candidate) {
    return switch (candidate.state()) {
      case "failed" -> "failed: " + Format.text(candidate.reason());
      case "warming-up" -> "warming up";
      default -> candidate.enough() ? "" : "too few accesses yet";
    };
  }
}
