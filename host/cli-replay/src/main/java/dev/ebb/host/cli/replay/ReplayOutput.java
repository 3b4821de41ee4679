package dev.ebb.host.cli.replay;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.devkit.PolicyMemory;
import dev.ebb.host.http.Json;
import dev.ebb.host.replay.ReplayHtml;
import dev.ebb.host.replay.ReplayJson;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.replay.ReplayResult;
import dev.ebb.host.replay.ReplayTable;
import dev.ebb.host.text.Format;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the results: the table of each trace immediately, so that nothing later can lose it; JSON
 * and the page at the end.
 */
public final class ReplayOutput {

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;
  private final boolean stackTraces;
  private final @Nullable OutputFile page;
  private final List<ReplayReport> reports = new ArrayList<>();
  private Set<String> candidates = Set.of();
  private double prefillRate;
  private boolean curve;

  /**
   * Creates an empty output.
   *
   * @param page the file of the page; null for none
   */
  public ReplayOutput(
      PrintWriter out,
      PrintWriter err,
      boolean json,
      boolean stackTraces,
      @Nullable OutputFile page) {
    this.out = out;
    this.err = err;
    this.json = json;
    this.stackTraces = stackTraces;
    this.page = page;
  }

  /** Marks policies, in all later output. */
  public void mark(Collection<String> policies) {
    candidates = Set.copyOf(policies);
  }

  /** Shows times in place of tokens, for an engine that computes so many in a second. */
  void prefillRate(double tokensPerSecond) {
    prefillRate = tokensPerSecond;
  }

  /** Shows the hit ratio over the capacity, in place of a table for each capacity. */
  void curve(boolean over) {
    curve = over;
  }

  public void add(ReplayReport report) {
    reports.add(report);
    if (report.failure() != null) {
      err.println("ebb: " + report.failure());
      return;
    }
    if (!json) {
      out.println(
          curve ? ReplayTable.curve(report) : ReplayTable.write(report, candidates, prefillRate));
      out.flush();
    }
    List<ReplayResult> thrown =
        report.runs().stream().filter(run -> !run.failureStack().isEmpty()).toList();
    if (stackTraces) {
      thrown.forEach(this::stackTrace);
    } else if (!thrown.isEmpty()) {
      err.println("ebb: a policy failed; --stacktrace shows where");
    }
  }

  private void stackTrace(ReplayResult run) {
    err.println(
        "ebb: policy '%s' at %s of '%s':"
            .formatted(
                run.policy(), Format.count(run.capacityBlocks(), "block", "blocks"), run.trace()));
    err.println(run.failureStack().stripTrailing());
  }

  public List<ReplayReport> reports() {
    return List.copyOf(reports);
  }

  /**
   * Writes the final output.
   *
   * @return whether everything succeeded
   */
  public boolean finish() {
    return finish(UnaryOperator.identity(), () -> ReplayHtml.write(reports));
  }

  /**
   * Writes the final output for candidates.
   *
   * @param memory heap for each entry, an object for each policy
   * @return whether everything succeeded
   */
  public boolean finish(List<PolicyMemory> memory) {
    return finish(
        document -> completed(document, memory),
        () -> ReplayHtml.writeComparison(reports, candidates, Json.text(memory)));
  }

  private boolean finish(UnaryOperator<String> completing, Supplier<String> html) {
    if (json) {
      out.println(completing.apply(ReplayJson.write(reports, false, candidates)));
      out.flush();
    }
    if (page != null && reports.stream().anyMatch(report -> report.failure() == null)) {
      page.write(html.get());
      err.println("wrote " + page);
    }
    return reports.stream().allMatch(ReplayReport::succeeded);
  }

  private static String completed(String replayed, List<PolicyMemory> memory) {
    ObjectNode document = requireNonNull(Json.read(replayed, ObjectNode.class));
    document.putPOJO("memory", memory);
    return Json.text(document);
  }
}
