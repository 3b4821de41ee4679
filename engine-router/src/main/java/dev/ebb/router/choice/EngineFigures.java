package dev.ebb.router.choice;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the router reads of an engine's metrics.
 *
 * @param startSeconds when the process started, since 1970; NaN if not reported
 * @param load requests that run or wait; 0 if not reported
 * @param cacheTokens the tokens that the engine can cache; infinite if not reported
 */
public record EngineFigures(double startSeconds, int load, double cacheTokens) {

  /** The figures of an engine without metrics. */
  public static final EngineFigures UNKNOWN =
      new EngineFigures(Double.NaN, 0, Double.POSITIVE_INFINITY);

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

  private static final Set<String> CACHE =
      Set.of("ebb_kv_capacity_tokens", "sglang:max_total_num_tokens");

  private static final String CACHE_CONFIG = "vllm:cache_config_info";
  private static final Pattern BLOCKS = Pattern.compile("\\bnum_gpu_blocks=\"(\\d+)\"");
  private static final Pattern BLOCK_SIZE = Pattern.compile("\\bblock_size=\"(\\d+)\"");

  /** Reads the Prometheus text format. */
  public static EngineFigures of(String metrics) {
    double start = Double.NaN;
    double load = 0;
    double cache = Double.NaN;
    for (String line : metrics.lines().toList()) {
      String name = line.split("[{ ]", 2)[0];
      if (name.equals(START)) {
        start = value(line);
      } else if (LOAD.contains(name)) {
        load += value(line);
      } else if (CACHE.contains(name)) {
        cache = value(line);
      } else if (name.equals(CACHE_CONFIG)) {
        cache = number(BLOCKS, line) * number(BLOCK_SIZE, line);
      }
    }
    return new EngineFigures(start, (int) load, cache > 0 ? cache : Double.POSITIVE_INFINITY);
  }

  private static double value(String line) {
    try {
      return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1).strip());
    } catch (NumberFormatException other) {
      return Double.NaN;
    }
  }

  private static double number(Pattern label, String line) {
    Matcher found = label.matcher(line);
    return found.find() ? Double.parseDouble(found.group(1)) : Double.NaN;
  }
}
