package dev.ebb.server.completion;

import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import java.util.concurrent.atomic.LongAdder;

/** The counters of an engine, as metrics. The engine's thread writes them. */
public final class CompletionMetrics implements MetricSource {

  private final LongAdder promptTokens = new LongAdder();
  private final LongAdder otherTokens = new LongAdder();
  private final LongAdder compactions = new LongAdder();

  /**
   * Counts tokens of one request in one step.
   *
   * @param prompt those of its prompt
   * @param all these and the others
   */
  public void computed(int prompt, int all) {
    promptTokens.add(prompt);
    otherTokens.add((long) all - prompt);
  }

  /** Counts a compaction of the cells. */
  public void compacted() {
    compactions.increment();
  }

  /** Returns how many tokens of prompts were computed, also again after a preemption. */
  public long promptTokens() {
    return promptTokens.sum();
  }

  @Override
  public void write(MetricSink sink) {
    sink.count("ebb_computed_tokens_total", promptTokens.sum(), "prompt");
    sink.count("ebb_computed_tokens_total", otherTokens.sum(), "output");
    sink.count("ebb_cell_compactions_total", compactions.sum());
  }
}
