package dev.ebb.host.replay;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.replay.ReplayResult.GroupUse;
import dev.ebb.host.replay.SeedSpread.Spread;
import dev.ebb.host.text.TextTable;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.units.Plural;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A report as text for a terminal: the best policies, then a table for each capacity, best first.
 */
public final class ReplayTable {

  private static final List<String> HEADINGS =
      List.of(
          "policy",
          "hit",
          "tokens",
          "gap closed",
          "prefill p50",
          "p95",
          "p99",
          "re-prefill",
          "fairness",
          "evictions",
          "ns/access",
          "ns/victim",
          "Mref/s");

  private ReplayTable() {}

  /**
   * Writes a report in which some policies are candidates.
   *
   * @param candidates the candidates, compared with the others
   * @param prefillRate tokens that an engine computes in a second, to show seconds in place of
   *     tokens; 0 to show tokens
   */
  public static String write(ReplayReport report, Set<String> candidates, double prefillRate) {
    StringBuilder out = new StringBuilder();
    heading(out, report);
    out.append('\n');
    for (long capacity : report.capacities()) {
      verdict(out, report, capacity);
    }
    for (long capacity : report.capacities()) {
      out.append('\n').append(capacityLine(report, capacity)).append('\n');
      table(out, report, capacity, candidates, prefillRate);
    }
    out.append('\n');
    slowest(out, report);
    seeds(out, report);
    if (!candidates.isEmpty()) {
      out.append("* candidate\n");
    }
    return out.toString();
  }

  /** Writes the hit ratios of a report, a row for each capacity. */
  public static String curve(ReplayReport report) {
    StringBuilder out = new StringBuilder();
    heading(out, report);
    out.append('\n');
    List<String> policies = report.runs().stream().map(ReplayResult::policy).distinct().toList();
    List<List<String>> rows = new ArrayList<>();
    List<String> titles = new ArrayList<>(List.of("of all", "blocks"));
    titles.addAll(policies);
    titles.add("optimum");
    rows.add(titles);
    for (long capacity : report.capacities()) {
      Map<String, ReplayResult> at =
          report.at(capacity).stream().collect(Collectors.toMap(ReplayResult::policy, run -> run));
      List<String> row = new ArrayList<>();
      row.add(percent((double) capacity / report.distinctBlocks()));
      row.add(format("%,d", capacity));
      policies.forEach(policy -> row.add(ratio(at.get(policy))));
      row.add(percent(report.optimum(capacity)));
      rows.add(row);
    }
    align(out, rows);
    out.append('\n');
    policies.forEach(policy -> out.append(duration(report, policy)));
    return out.toString();
  }

  private static String ratio(@Nullable ReplayResult run) {
    return run == null || run.failure() != null ? "failed" : percent(run.hitRatio());
  }

  /** Describes how long the runs of a policy took together, or why one of them failed. */
  private static String duration(ReplayReport report, String policy) {
    List<ReplayResult> runs =
        report.runs().stream().filter(run -> run.policy().equals(policy)).toList();
    for (ReplayResult run : runs) {
      if (run.failure() != null) {
        return format("%s stopped: %s%n", policy, run.failure());
      }
    }
    double seconds =
        runs.stream().mapToDouble(run -> run.references() / run.referencesPerSecond()).sum();
    return runs.getFirst().isOfOnePass()
        ? format("%s: all sizes in one pass of %.2f s%n", policy, seconds)
        : format("%s: %s, %.2f s%n", policy, Plural.of(runs.size(), "run", "runs"), seconds);
  }

  private static void heading(StringBuilder out, ReplayReport report) {
    out.append(
        format(
            "%s: %s, %s%s, %s a block, %s model%s%n",
            report.trace(),
            Plural.of(report.requests(), "request", "requests"),
            Plural.of(report.references(), "block reference", "block references"),
            report.distinctBlocks() < 0 ? "" : format(" to %s", blocks(report.distinctBlocks())),
            Plural.of(report.blockTokens(), "token", "tokens"),
            report.model(),
            report.lookahead() == 0 ? "" : format(", %,d waiting", report.lookahead())));
    if (report.blockTokensDoubt() != null) {
      out.append(
          format("the block size %s; state it with --block-tokens%n", report.blockTokensDoubt()));
    }
    if (report.groups() != null) {
      out.append(
          format(
              "object groups %s: a block is a whole chunk, a hit is usable by all groups%n",
              report.groups()));
    }
    double seconds = report.decodeNanos() / 1e9;
    out.append(
        format(
            "decoded in %.1f s (%.1f million references a second)%n",
            seconds, report.references() / 1e6 / seconds));
    out.append(OnError.skipped(report.skippedLines(), report.skippedReasons()));
  }

  private static String capacityLine(ReplayReport report, long capacity) {
    String share =
        report.distinctBlocks() <= 0
            ? ""
            : capacity >= report.distinctBlocks()
                ? " (all distinct blocks fit)"
                : format(
                    " (%.3g%% of the distinct blocks)", capacity * 100.0 / report.distinctBlocks());
    double optimum = report.optimum(capacity);
    return blocks(capacity)
        + share
        + (Double.isNaN(optimum) ? "" : ", optimum " + percent(optimum));
  }

  private static void table(
      StringBuilder out,
      ReplayReport report,
      long capacity,
      Set<String> candidates,
      double prefillRate) {
    List<List<String>> rows = new ArrayList<>();
    boolean spread = report.runs().stream().anyMatch(run -> run.spread() != null);
    rows.add(spread ? withSpread(HEADINGS, "+-", "min..max") : HEADINGS);
    List<ReplayResult> likeLru = likeLru(report.at(capacity), candidates);
    for (ReplayResult run : report.at(capacity)) {
      if (likeLru.contains(run)) {
        continue;
      }
      String name = candidates.contains(run.policy()) ? run.policy() + " *" : run.policy();
      List<String> row = run.failure() == null ? row(name, report, run, prefillRate) : failed(name);
      rows.add(spread ? withSpread(row, deviation(run), range(run)) : row);
    }
    align(out, rows);
    if (!likeLru.isEmpty()) {
      out.append("  exactly as lru: ")
          .append(likeLru.stream().map(ReplayResult::policy).collect(Collectors.joining(", ")))
          .append('\n');
    }
    if (report.runs().stream().anyMatch(run -> run.tiers() != null)) {
      out.append('\n');
      align(out, TierTable.rows(report, capacity));
    }
    for (ReplayResult run : report.at(capacity)) {
      if (run.groups() != null && run.failure() == null) {
        groups(out, report, run, run.groups());
      }
      if (run.failure() != null) {
        out.append(
            format(
                "  %s stopped after %s: %s%n",
                run.policy(), Plural.of(run.requests(), "request", "requests"), run.failure()));
      }
    }
  }

  /** Returns the runs that only repeat the row of LRU. Measured times are never the same. */
  private static List<ReplayResult> likeLru(List<ReplayResult> runs, Set<String> candidates) {
    ReplayResult lru =
        runs.stream()
            .filter(run -> run.policy().equals("lru") && run.failure() == null)
            .findFirst()
            .orElse(null);
    return lru == null || Double.isFinite(lru.nanosPerAccess())
        ? List.of()
        : runs.stream()
            .filter(run -> run != lru && !candidates.contains(run.policy()) && same(run, lru))
            .toList();
  }

  private static boolean same(ReplayResult run, ReplayResult lru) {
    return run.failure() == null
        && run.spread() == null
        && run.groups() == null
        && run.tiers() == null
        && run.hitRatio() == lru.hitRatio()
        && run.tokenHitRatio() == lru.tokenHitRatio()
        && run.evictions() == lru.evictions()
        && run.rePrefillRate() == lru.rePrefillRate()
        && run.prefill().equals(lru.prefill())
        && Double.compare(run.fairness(), lru.fairness()) == 0;
  }

  /** Writes headings and rows: the first column to the left, the others to the right. */
  private static void align(StringBuilder out, List<List<String>> rows) {
    List<String> headings = new ArrayList<>(rows.getFirst());
    headings.replaceAll(name -> name.equals(headings.getFirst()) ? name : ">" + name);
    TextTable table = new TextTable(headings.toArray(String[]::new));
    rows.stream().skip(1).forEach(table::add);
    table.lines().forEach(line -> out.append("  ").append(line).append('\n'));
  }

  private static void groups(
      StringBuilder out, ReplayReport report, ReplayResult run, GroupUse use) {
    SizedGroups groups = requireNonNull(report.groups());
    double units = run.capacityBlocks() * (double) groups.whole();
    List<String> shares = new ArrayList<>();
    for (int group = 0; group < use.blocks().size(); group++) {
      shares.add(
          format("%s %s", groups.groups().get(group), percent(use.blocks().get(group) / units)));
    }
    out.append(
        format(
            "  %s: memory of %s at the end; %s evicted alone; %s resident but not usable%n",
            run.policy(),
            String.join(", ", shares),
            Plural.of(use.thinned(), "object", "objects"),
            blocks(use.unusableBlocks())));
  }

  private static List<String> row(
      String name, ReplayReport report, ReplayResult run, double prefillRate) {
    return List.of(
        name,
        percent(run.hitRatio()),
        percent(run.tokenHitRatio()),
        gap(report.gapClosed(run)),
        prefill(run.prefill().p50(), prefillRate),
        prefill(run.prefill().p95(), prefillRate),
        prefill(run.prefill().p99(), prefillRate),
        percent(run.rePrefillRate()),
        number("%.3f", run.fairness()),
        format("%,d", run.evictions()),
        number("%.1f", run.nanosPerAccess()),
        number("%.1f", run.nanosPerVictim()),
        number("%.2f", run.referencesPerSecond() / 1e6));
  }

  private static List<String> withSpread(List<String> row, String deviation, String range) {
    List<String> wider = new ArrayList<>(row);
    wider.addAll(2, List.of(deviation, range));
    return wider;
  }

  private static String deviation(ReplayResult run) {
    SeedSpread spread = run.spread();
    return spread == null ? "-" : number("%.2f", spread.hitRatio().standardDeviation() * 100);
  }

  private static String range(ReplayResult run) {
    SeedSpread spread = run.spread();
    if (spread == null) {
      return "-";
    }
    return spread.same()
        ? "same"
        : percent(spread.hitRatio().min()) + ".." + percent(spread.hitRatio().max());
  }

  /** The numbers of an unfinished run say nothing about the policy. */
  private static List<String> failed(String name) {
    List<String> row = new ArrayList<>(Collections.nCopies(HEADINGS.size(), "-"));
    row.set(0, name);
    row.set(1, "failed");
    return row;
  }

  /** Writes how long the policies kept their host waiting, if that was measured. */
  private static void slowest(StringBuilder out, ReplayReport report) {
    Map<String, Double> nanos = new LinkedHashMap<>();
    report.runs().stream()
        .filter(run -> run.slowestNanos() > 0)
        .forEach(run -> nanos.merge(run.policy(), run.slowestNanos(), Math::max));
    if (!nanos.isEmpty()) {
      out.append("slowest call: ")
          .append(
              nanos.entrySet().stream()
                  .map(each -> format("%s %.1f ms", each.getKey(), each.getValue() / 1e6))
                  .collect(Collectors.joining(", ")))
          .append(" (limit of a server: ebb.eviction.deadline, 50 ms by default)\n");
    }
  }

  /** Explains the spread, and names the policies for which the seed made no difference. */
  private static void seeds(StringBuilder out, ReplayReport report) {
    List<ReplayResult> repeated =
        report.runs().stream().filter(run -> run.spread() != null).toList();
    if (repeated.isEmpty()) {
      return;
    }
    List<String> varying =
        repeated.stream()
            .filter(run -> !requireNonNull(run.spread()).same())
            .map(ReplayResult::policy)
            .distinct()
            .toList();
    int seeds = requireNonNull(repeated.getFirst().spread()).seeds();
    String deviation =
        seeds < Spread.FEWEST_RUNS
            ? "needs --seeds %d or more".formatted(Spread.FEWEST_RUNS)
            : "is the standard deviation of the hit ratio in points";
    out.append(format("numbers are means of %d seeds; +- %s%n", seeds, deviation));
    out.append(
        varying.isEmpty()
            ? format("all seeds give the same results%n")
            : format("results depend on the seed for %s%n", String.join(", ", varying)));
  }

  private static void verdict(StringBuilder out, ReplayReport report, long capacity) {
    List<ReplayResult> best = report.best(capacity);
    if (best.isEmpty()) {
      return;
    }
    out.append(
        format(
            "best at %s: %s, %s%s%n",
            blocks(capacity),
            String.join(" = ", best.stream().map(ReplayResult::policy).toList()),
            percent(best.getFirst().hitRatio()),
            distance(report, best.getFirst())));
  }

  private static String distance(ReplayReport report, ReplayResult best) {
    double closed = report.gapClosed(best);
    if (Double.isNaN(closed)) {
      return "";
    }
    String possible = " of " + percent(report.optimum(best.capacityBlocks())) + " possible; ";
    return closed > 0
        ? possible + format("closes %s of the gap between LRU and the optimum", percent(closed))
        : possible + "none of these beats LRU";
  }

  private static String blocks(long count) {
    return Plural.of(count, "block", "blocks");
  }

  private static String prefill(long tokens, double rate) {
    if (tokens < 0) {
      return "-";
    }
    return rate > 0 ? format("%.2f s", tokens / rate) : format("%,d", tokens);
  }

  static String percent(double ratio) {
    return number("%.2f%%", ratio * 100);
  }

  /** Far below LRU the gap is small compared with the loss, and the share says nothing. */
  private static String gap(double closed) {
    return closed < -1 ? "< -100%" : percent(closed);
  }

  static String number(String format, double value) {
    return Double.isFinite(value) ? format(format, value) : "-";
  }

  static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
