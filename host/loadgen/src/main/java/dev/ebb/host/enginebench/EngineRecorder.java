package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.AnswerReader.StreamedAnswer;
import dev.ebb.host.enginebench.EngineException.Kind;
import dev.ebb.host.enginebench.EngineResult.Fault;
import dev.ebb.host.enginebench.EngineResult.PromptLimit;
import dev.ebb.host.enginebench.EngineResult.Sample;
import dev.ebb.host.enginebench.EngineResult.Source;
import dev.ebb.host.enginebench.EngineResult.Tenant;
import dev.ebb.host.enginebench.EngineResult.Tokens;
import dev.ebb.host.enginebench.EngineServer.ServerCounters;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Counts answers and failures. For any number of threads. */
final class EngineRecorder {

  /** After so many failed connections in a row, the server is taken to have stopped. */
  private static final int MOST_LOST = 20;

  private final long startNanos = System.nanoTime();
  private final Histogram firstToken = new Histogram(3);
  private final Histogram interToken = new Histogram(3);
  private final Histogram latency = new Histogram(3);
  private final Map<String, List<Sample>> byTenant = new TreeMap<>();
  private final List<Sample> samples = new ArrayList<>();
  private final Map<String, Fault> faults = new LinkedHashMap<>();
  private long errors;
  private long generated;
  private boolean estimated;
  private int lostInARow;
  private @Nullable String stopped;

  /** Requests without a text yet, by their number. */
  private final Set<Long> waiting = new HashSet<>();

  private long sent;

  /** The lengths of the prompts that were answered. */
  private final TreeSet<Long> fitting = new TreeSet<>();

  private long shortestTooLong = Long.MAX_VALUE;
  private long mostTokens;

  /**
   * Notes that a request is being sent.
   *
   * @param maxTokens the most tokens of its answer
   */
  synchronized void sent(EngineRequest request, int maxTokens) {
    sent++;
    waiting.add(request.number());
    mostTokens = Math.max(mostTokens, request.inputTokens() + maxTokens);
  }

  /** Notes that the first text of an answer has arrived. */
  synchronized void begun(EngineRequest request) {
    waiting.remove(request.number());
  }

  synchronized void answered(
      EngineRequest request, long sentNanos, StreamedAnswer answer, LongArrayList intervals) {
    begun(request);
    fitting.add(request.inputTokens());
    lostInARow = 0;
    firstToken.recordValue(answer.firstNanos());
    latency.recordValue(answer.lastNanos());
    intervals.forEach(interToken::recordValue);
    generated += answer.tokens();
    estimated |= answer.completionTokens() == StreamedAnswer.UNKNOWN;
    double start = (sentNanos - startNanos) / 1e9;
    Sample sample =
        new Sample(
            start,
            start + answer.lastNanos() / 1e9,
            answer.firstNanos() / 1e6,
            known(answer.promptTokens()),
            known(answer.cachedTokens()),
            answer.tokens());
    samples.add(sample);
    String tenant = request.tenant();
    if (tenant != null) {
      byTenant.computeIfAbsent(tenant, name -> new ArrayList<>()).add(sample);
    }
  }

  private static double known(long count) {
    return count == StreamedAnswer.UNKNOWN ? Double.NaN : count;
  }

  synchronized void failed(EngineRequest request, EngineException failure) {
    begun(request);
    errors++;
    if (failure.isTooLong()) {
      shortestTooLong = Math.min(shortestTooLong, request.inputTokens());
    }
    faults.merge(
        failure.label(),
        new Fault(failure.label(), 1, failure.text()),
        (all, one) -> new Fault(all.kind(), all.count() + 1, all.first()));
    lostInARow = failure.kind() == Kind.CONNECTION ? lostInARow + 1 : 0;
    if (lostInARow == MOST_LOST && stopped == null) {
      stopped = "%d requests in a row had no connection".formatted(MOST_LOST);
    }
  }

  /** Returns whether no more requests are to be sent. */
  synchronized boolean stopped() {
    return stopped != null;
  }

  synchronized void reportTo(EngineBench.Progress progress, long requests) {
    long done = samples.size() + errors;
    progress.at(
        new EngineBench.Progress.State(
            (System.nanoTime() - startNanos) / 1e9,
            done,
            errors,
            waiting.size(),
            sent - done - waiting.size(),
            requests,
            generated));
  }

  /**
   * Returns the result.
   *
   * @param counters what the server's own counters counted meanwhile
   */
  synchronized EngineResult result(
      EngineTarget target,
      EngineLoad load,
      String model,
      String trace,
      long leftOut,
      long skippedLines,
      double wordsPerToken,
      double seconds,
      ServerCounters counters) {
    return new EngineResult(
        target.toString(),
        model,
        target.api(),
        trace,
        load.pace(),
        seconds,
        samples.size() + errors,
        samples.size(),
        leftOut,
        skippedLines,
        tokens(counters),
        wordsPerToken,
        firstToken,
        interToken,
        latency,
        byTenant.entrySet().stream()
            .map(tenant -> tenant(tenant.getKey(), tenant.getValue()))
            .toList(),
        faults.values().stream().sorted(Comparator.comparingLong(Fault::count).reversed()).toList(),
        promptLimit(),
        stopped,
        samples);
  }

  private @Nullable PromptLimit promptLimit() {
    if (shortestTooLong == Long.MAX_VALUE) {
      return null;
    }
    Long longest = fitting.lower(shortestTooLong);
    return new PromptLimit(longest == null ? 0 : longest, mostTokens);
  }

  private Tokens tokens(ServerCounters counters) {
    double prompt = samples.stream().mapToDouble(Sample::prompt).sum();
    prompt = Double.isNaN(prompt) ? counters.prompt() : prompt;
    if (reportsReuse()) {
      return new Tokens(prompt, reused(samples), Source.USAGE, generated, estimated);
    }
    double reused =
        Double.isNaN(counters.reused()) ? prompt - counters.prefilled() : counters.reused();
    return Double.isNaN(reused) || Double.isNaN(prompt)
        ? new Tokens(prompt, Double.NaN, Source.NOT_REPORTED, generated, estimated)
        : new Tokens(prompt, Math.clamp(reused, 0, prompt), Source.METRICS, generated, estimated);
  }

  /** Some servers report the reused tokens of an answer only if there are any. */
  private boolean reportsReuse() {
    return samples.stream().anyMatch(answer -> !Double.isNaN(answer.reused()));
  }

  private static double reused(List<Sample> answers) {
    return answers.stream().mapToDouble(Sample::reused).filter(each -> !Double.isNaN(each)).sum();
  }

  private Tenant tenant(String name, List<Sample> answers) {
    return new Tenant(
        name,
        answers.size(),
        answers.stream().mapToDouble(Sample::prompt).sum(),
        reportsReuse() ? reused(answers) : Double.NaN,
        answers.stream().mapToDouble(Sample::firstTokenMillis).average().orElse(Double.NaN));
  }
}
