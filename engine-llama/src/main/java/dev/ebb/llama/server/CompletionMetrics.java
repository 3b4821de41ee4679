package dev.ebb.llama.server;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.scheduler.EndReason;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counters of the engine, as metrics. The engine's thread writes them. */
final class CompletionMetrics implements MetricSource {

  private final Map<EndReason, LongAdder> ended = new EnumMap<>(EndReason.class);
  private final LongAdder promptTokens = new LongAdder();
  private final LongAdder otherTokens = new LongAdder();
  private final LongAdder generated = new LongAdder();
  private final LongAdder preemptions = new LongAdder();
  private final LongAdder compactions = new LongAdder();
  private volatile int running;
  private volatile int waiting;
  private volatile int limit;

  CompletionMetrics() {
    for (EndReason reason : EndReason.values()) {
      ended.put(reason, new LongAdder());
    }
  }

  void state(int nowRunning, int nowWaiting, int nowLimit) {
    running = nowRunning;
    waiting = nowWaiting;
    limit = nowLimit;
  }

  /**
   * Counts tokens of one request in one step.
   *
   * @param prompt those of its prompt
   * @param all these and the others
   */
  void computed(int prompt, int all) {
    promptTokens.add(prompt);
    otherTokens.add((long) all - prompt);
  }

  void generated() {
    generated.increment();
  }

  void compacted() {
    compactions.increment();
  }

  void ended(EndReason reason, int preempted) {
    requireNonNull(ended.get(reason)).increment();
    preemptions.add(preempted);
  }

  int running() {
    return running;
  }

  int waiting() {
    return waiting;
  }

  /** Returns how many tokens of prompts were computed, also again after a preemption. */
  long promptTokens() {
    return promptTokens.sum();
  }

  /** Returns how often requests that have ended were preempted. */
  long preemptions() {
    return preemptions.sum();
  }

  /** Returns how many completions ended for a reason. */
  long ended(EndReason reason) {
    return requireNonNull(ended.get(reason)).sum();
  }

  @Override
  public void write(MetricSink sink) {
    sink.count(Metric.REQUESTS_RUNNING, running);
    sink.count(Metric.REQUESTS_WAITING, waiting);
    sink.count(Metric.REQUESTS_LIMIT, limit);
    ended.forEach((reason, count) ->
        sink.count(
            Metric.REQUESTS_ENDED,
            count.sum(),
            reason.name().toLowerCase(Locale.ROOT).replace('_', '-')));
    sink.count(Metric.COMPUTED_TOKENS, promptTokens.sum(), "prompt");
    sink.count(Metric.COMPUTED_TOKENS, otherTokens.sum(), "output");
    sink.count(Metric.GENERATED_TOKENS, generated.sum());
    sink.count(Metric.PREEMPTIONS, preemptions.sum());
    sink.count(Metric.CELL_COMPACTIONS, compactions.sum());
  }
}
