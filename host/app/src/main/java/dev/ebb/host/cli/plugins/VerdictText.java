package dev.ebb.host.cli.plugins;

import dev.ebb.host.devkit.Cost;
import dev.ebb.host.devkit.Verdict;
import dev.ebb.host.devkit.VerifyFinding;
import dev.ebb.host.http.Json;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.KeyText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A verdict on a JAR, for people and as a document. */
final class VerdictText {

  private static final Columns<Cost> COSTS =
      Columns.of(
          Cost.class,
          """
          POLICY | {policy}
          >RESIDENTS | {residents:count}
          >NS/ACCESS | {nanosPerAccess:count}
          >LRU | {lruNanosPerAccess:count}
          >NS/REPLACEMENT | {nanosPerReplacement:count}
          >LRU | {lruNanosPerReplacement:count}
          >BUDGET | {budgetNanos:count}
          >SLOWEST | {slowestNanos:count}
          """);

  private VerdictText() {}

  /** Formats a finding, with its problems below it. */
  static List<String> lines(VerifyFinding finding) {
    List<String> lines = new ArrayList<>();
    String what = "%s: %s".formatted(finding.strategy(), finding.check());
    if (finding.passed() && !finding.warning()) {
      lines.add("PASS  " + what + (isShown(finding) ? " (" + finding.message() + ")" : ""));
    } else {
      lines.add((finding.warning() ? "WARN  " : finding.run() ? "FAIL  " : "NOT RUN  ") + what);
      finding.message().lines().forEach(line -> lines.add("      " + KeyText.printable(line)));
    }
    return lines;
  }

  /** Formats the part below the checks: the costs, and the result at the end. */
  static List<String> summary(Verdict verdict) {
    List<String> lines = new ArrayList<>();
    if (!verdict.costs().isEmpty()) {
      lines.add("");
      lines.addAll(COSTS.lines(verdict.costs()));
    }
    long run = verdict.findings().stream().filter(VerifyFinding::run).count();
    long failed = verdict.findings().stream().filter(each -> each.run() && !each.passed()).count();
    lines.add("");
    lines.addAll(commonRules(verdict.findings()));
    lines.add(
        verdict.passed()
            ? "PASS: all %d checks%s".formatted(run, warnings(verdict.findings()))
            : "FAIL: %d of %d checks".formatted(failed, run)
                + (run < verdict.findings().size() ? " that were run" : ""));
    return lines;
  }

  private static String warnings(List<VerifyFinding> findings) {
    long count = findings.stream().filter(VerifyFinding::warning).count();
    return count == 0 ? "" : count == 1 ? ", 1 warning" : ", %d warnings".formatted(count);
  }

  /** Groups the checks that one cause failed, and suggests where to start. */
  private static List<String> commonRules(List<VerifyFinding> findings) {
    Map<List<String>, List<VerifyFinding>> byRule = new LinkedHashMap<>();
    for (VerifyFinding finding : findings) {
      String rule = finding.rule();
      if (rule != null) {
        byRule
            .computeIfAbsent(List.of(finding.strategy(), rule), key -> new ArrayList<>())
            .add(finding);
      }
    }
    List<String> lines = new ArrayList<>();
    byRule.forEach((of, broken) -> {
      if (broken.size() > 1) {
        lines.add(
            "%s: %d checks broke one rule: %s; start with: %s"
                .formatted(of.getFirst(), broken.size(), of.getLast(), broken.getFirst().check()));
      }
    });
    return lines;
  }

  /** Returns whether it is shown: of the checks that passed, only the loading. */
  private static boolean isShown(VerifyFinding finding) {
    return finding.strategy().equals("plugin") && !finding.message().isEmpty();
  }

  static Map<String, Object> document(Verdict verdict) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("file", verdict.file().toString());
    document.put("id", verdict.id());
    document.put("version", verdict.version());
    document.put("passed", verdict.passed());
    document.put("checks", verdict.findings());
    document.put("costs", verdict.costs().stream().map(VerdictText::cost).toList());
    return document;
  }

  private static Map<String, Object> cost(Cost cost) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("policy", cost.policy());
    document.put("residents", cost.residents());
    document.put("nsPerAccess", Json.known(cost.nanosPerAccess()));
    document.put("lruNsPerAccess", Json.known(cost.lruNanosPerAccess()));
    document.put("nsPerReplacement", Json.known(cost.nanosPerReplacement()));
    document.put("lruNsPerReplacement", Json.known(cost.lruNanosPerReplacement()));
    document.put("slowestNs", Json.known(cost.slowestNanos()));
    document.put("budgetNs", Json.known(cost.budgetNanos()));
    document.put("load", Json.known(cost.load()));
    return document;
  }
}
