package dev.ebb.host.replay;

import dev.ebb.host.replay.CandidateVerdict.Result.LruComparison;
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
  private final List<CandidateVerdict.Result> results;
  private boolean lruNamed;
  private boolean unitNamed;

  VerdictSentence(ReplayReport report, String policy, List<CandidateVerdict.Result> results) {
    this.report = report;
    this.policy = policy;
    this.results = results;
  }

  String text() {
    List<String> parts = new ArrayList<>();
    for (LruComparison kind : LruComparison.values()) {
      List<CandidateVerdict.Result> these =
          results.stream().filter(result -> result.comparedWithLru() == kind).toList();
      if (!these.isEmpty()) {
        parts.add(heading(kind) + " at " + listed(these.stream().map(this::atCapacity).toList()));
      }
    }
    return policy + ": " + String.join(", ", parts) + ranks();
  }

  /** LRU is named once. */
  private String heading(LruComparison kind) {
    if (kind == LruComparison.FAILED) {
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

  private String atCapacity(CandidateVerdict.Result result) {
    String where = capacity(result.capacityBlocks());
    return switch (result.comparedWithLru()) {
      case BETTER, WORSE -> "%s (%s)".formatted(where, lead(result));
      case UNCLEAR -> "%s (%s, %s)".formatted(where, lead(result), chance(result));
      default -> where;
    };
  }

  private static String chance(CandidateVerdict.Result result) {
    double margin = result.lead().margin();
    return Double.isNaN(margin) ? "too few requests" : "± " + oneDigit(100 * margin);
  }

  /** The numbers are explained once. */
  private String lead(CandidateVerdict.Result result) {
    double points = 100 * result.lead().points();
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

  private String ranks() {
    List<CandidateVerdict.Result> ranked =
        results.stream().filter(result -> result.rank() > 0).toList();
    if (ranked.isEmpty() || ranked.getFirst().of() == 1) {
      return "";
    }
    List<String> ranks = ranked.stream().map(result -> ordinal(result.rank())).toList();
    boolean same = ranks.stream().distinct().count() == 1;
    return "; %s of %d".formatted(same ? ranks.getFirst() : listed(ranks), ranked.getFirst().of())
        + (same && ranks.size() > 1 ? " everywhere" : "");
  }

  private static String ordinal(int rank) {
    int tens = rank % 100;
    String ending =
        tens >= 11 && tens <= 13
            ? "th"
            : switch (rank % 10) {
              case 1 -> "st";
              case 2 -> "nd";
              case 3 -> "rd";
              default -> "th";
            };
    return rank + ending;
  }

  private static String listed(List<String> words) {
    int last = words.size() - 1;
    return last == 0
        ? words.getFirst()
        : words.stream().limit(last).collect(Collectors.joining(", ")) + " and " + words.get(last);
  }
}
