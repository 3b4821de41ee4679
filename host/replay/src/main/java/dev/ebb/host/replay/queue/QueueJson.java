package dev.ebb.host.replay.queue;

import dev.ebb.host.htmlreport.JsonFields;
import java.util.List;

/** The results of a queue as JSON, in milliseconds. */
public final class QueueJson {

  private QueueJson() {}

  /** Writes the results of one trace. */
  public static String write(String trace, QueueOptions options, List<QueueResult> results) {
    return new JsonFields()
        .put("trace", trace)
        .put("memoryTokens", options.memoryTokens())
        .number("tokensPerSecond", options.tokensPerSecond())
        .put("stepMillis", options.step().toMillis())
        .put("deadlineMillis", options.deadline().toMillis())
        .list("runs", results, QueueJson::row)
        .indented();
  }

  private static JsonFields row(QueueResult result) {
    return new JsonFields()
        .values(result, "policy answered tooLong preemptions computedTokens recomputedTokens")
        .number("waitP50", QueueResult.millis(result.waits(), 50))
        .number("waitP95", QueueResult.millis(result.waits(), 95))
        .number("waitP99", QueueResult.millis(result.waits(), 99))
        .number("latencyP50", QueueResult.millis(result.latencies(), 50))
        .number("latencyP99", QueueResult.millis(result.latencies(), 99))
        .values(result, "missedDeadlines failure=fault");
  }
}
