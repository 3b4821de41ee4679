package dev.ebb.router.engine;

import java.util.Set;

/**
 * What the router reads of an engine's metrics.
 *
 * @param startSeconds when the process started, since 1970; NaN if not reported
 * @param load requests that run or wait; -1 if not reported
 */
record EngineFigures(double startSeconds, int load) {

  static final EngineFigures UNKNOWN = new EngineFigures(Double.NaN, -1);

  private static final String START = "process_start_time_seconds";

  /** Running and waiting requests in Ebb, vLLM, SGLang and llama.cpp. */
  private static final Set<String> LOAD =
      Set.of(
          "ebb_num_requests_running",
          "ebb_num_requests_waiting",
          "vllm:num_requests_running",
          "vllm:num_requests_waiting",
          "sglang:num_running_reqs",
          "sglang:num_queue_reqs",
          "llamacpp:requests_processing",
          "llamacpp:requests_deferred");

  /** Reads the Prometheus text format. */
  static EngineFigures of(String metrics) {
    double start = Double.NaN;
    double load = -1;
    for (String line : metrics.split("\n")) {
      String name = line.split("[{ ]", 2)[0];
      if (name.equals(START)) {
        start = value(line);
      } else if (LOAD.contains(name)) {
        load = Math.max(0, load) + value(line);
      }
    }
    return new EngineFigures(start, (int) load);
  }

  private static double value(String line) {
    try {
      return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1).strip());
    } catch (NumberFormatException other) {
      return Double.NaN;
    }
  }
}
