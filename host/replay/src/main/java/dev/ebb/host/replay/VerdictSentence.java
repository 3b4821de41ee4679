package dev.ebb.host.replay;

import dev.ebb.host.replay.Standing.BesideLru;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Describes the result of a candidate in a sentence. */
final class VerdictSentence {

  private final ReplayReport report;
  private final String policy;
  private final List<Standing> standings;
  private boolean lruNamed;
  private boolean unitNamed;

  VerdictSentence(ReplayReport report, String policy, List<Standing> standings) {
    this.report = report;
    this.policy = policy;
    this.standings = standings;
  }

  String text() {
    List<String> parts = new ArrayList<>();
    for (BesideLru kind : BesideLru.values()) {
      List<Standing> these =
          standings.stream().filter(standing -> standing.besideLru() == kind).toList();
      if (!these.isEmpty()) {
        parts.add(heading(kind) + " at " + listed(these.stream().map(this::atCapacity).toList()));
      }
    }
    return policy + ": " + String.join(", ", parts) + places();
  }

  /** LRU is named once. */
  private String heading(BesideLru kind) {
    if (kind == BesideLru.FAILED) {
      return "failed";
    }
    boolean named = lruNamed;
    lruNamed = true;
    return switch (kind) {
      case BETTER -> named ? "better" : "better than LRU";
      case EQUAL -> named ? "exactly as good" : "exactly as good as LRU";
      case UNCLEAR -> named ? "no clear difference" : "no clear difference from LRU";
      default -> named ? "worse" : "worse than LRU";
    };
  }

  private String atCapacity(Standing standing) {
    String where = capacity(standing.capacityBlocks());
    return switch (standing.besideLru()) {
      case BETTER, WORSE -> "%s (%s)".formatted(where, lead(standing));
      case UNCLEAR -> "%s (%s, %s)".formatted(where, lead(standing), chance(standing));
      default -> where;
    };
  }

  private static String chance(Standing standing) {
    double margin = standing.lead().margin();
    return Double.isNaN(margin) ? "too few requests to tell" : "± " + oneDigit(100 * margin);
  }

  /** The numbers are explained once. */
  private String lead(Standing standing) {
    double points = 100 * standing.lead().points();
    String unit = unitNamed ? "" : " points";
    unitNamed = true;
    return (points < 0 ? "-" : "+") + oneDigit(Math.abs(points)) + unit;
  }

  /** Formats with one decimal, or up to the first that is not zero. */
  private static String oneDigit(double value) {
    return value >= 0.1 || value == 0
        ? String.format(Locale.ROOT, "%.1f", value)
        : new BigDecimal(value).round(new MathContext(1)).toPlainString();
  }

  /** Formats a capacity as a share of the distinct blocks; in blocks if shares would read alike. */
  private String capacity(long blocks) {
    List<Long> all = report.capacities();
    boolean shares = all.stream().map(this::share).distinct().count() == all.size();
    return shares ? share(blocks) : String.format(Locale.ROOT, "%,d blocks", blocks);
  }

  private String share(long blocks) {
    BigDecimal percent = new BigDecimal(100.0 * blocks / Math.max(1, report.distinctBlocks()));
    return percent.round(new MathContext(2)).stripTrailingZeros().toPlainString() + "%";
  }

  private String places() {
    List<Standing> placed = standings.stream().filter(standing -> standing.place() > 0).toList();
    if (placed.isEmpty() || placed.getFirst().of() == 1) {
      return "";
    }
    List<String> places = placed.stream().map(standing -> ordinal(standing.place())).toList();
    boolean same = places.stream().distinct().count() == 1;
    return "; %s of %d".formatted(same ? places.getFirst() : listed(places), placed.getFirst().of())
        + (same && places.size() > 1 ? " everywhere" : "");
  }

  private static String ordinal(int place) {
    int tens = place % 100;
    String ending =
        tens >= 11 && tens <= 13
            ? "th"
            : switch (place % 10) {
              case 1 -> "st";
              case 2 -> "nd";
              case 3 -> "rd";
              default -> "th";
            };
    return place + ending;
  }

  private static String listed(List<String> words) {
    int last = words.size() - 1;
    return last == 0
        ? words.getFirst()
        : words.stream().limit(last).collect(Collectors.joining(", ")) + " and " + words.get(last);
  }
}
