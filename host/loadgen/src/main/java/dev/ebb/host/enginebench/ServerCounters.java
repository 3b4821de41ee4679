package dev.ebb.host.enginebench;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server's counters of prompt tokens, read from its metrics. Each is NaN if the server has no
 * metric with a known name.
 *
 * @param prompt tokens of prompts
 * @param reused of these, tokens whose K and V were in the cache
 * @param prefilled of these, tokens whose K and V were computed
 */
record ServerCounters(double prompt, double reused, double prefilled) {

  static final ServerCounters UNKNOWN = new ServerCounters(Double.NaN, Double.NaN, Double.NaN);

  private static final List<String> PROMPT =
      List.of("vllm:prompt_tokens_total", "sglang:prompt_tokens_total", "ebb_prompt_tokens_total");

  /** The second of vLLM counts tokens that a KV connector, such as LMCache, loaded. */
  private static final List<String> REUSED =
      List.of(
          "vllm:prefix_cache_hits_total",
          "vllm:external_prefix_cache_hits_total",
          "vllm:gpu_prefix_cache_hits_total",
          "sglang:cached_tokens_total",
          "ebb_prefix_hit_tokens_total");

  private static final List<String> PREFILLED = List.of("llamacpp:prompt_tokens_total");

  private static final Pattern SAMPLE =
      Pattern.compile("(?m)^([A-Za-z_:][\\w:]*)(?:\\{.*})?[ \\t]+(\\S+)");

  /** Reads the counters from metrics in Prometheus' text format. */
  static ServerCounters of(String metrics) {
    double prompt = Double.NaN;
    double reused = Double.NaN;
    double prefilled = Double.NaN;
    Matcher sample = SAMPLE.matcher(metrics);
    while (sample.find()) {
      String name = sample.group(1);
      if (PROMPT.contains(name)) {
        prompt = plus(prompt, sample.group(2));
      } else if (REUSED.contains(name)) {
        reused = plus(reused, sample.group(2));
      } else if (PREFILLED.contains(name)) {
        prefilled = plus(prefilled, sample.group(2));
      }
    }
    return new ServerCounters(prompt, reused, prefilled);
  }

  private static double plus(double sum, String value) {
    try {
      return (Double.isNaN(sum) ? 0 : sum) + Double.parseDouble(value);
    } catch (NumberFormatException notANumber) {
      return sum;
    }
  }

  /** Returns the increase since an earlier time; NaN where the counter was reset meanwhile. */
  ServerCounters since(ServerCounters before) {
    return new ServerCounters(
        increase(before.prompt, prompt),
        increase(before.reused, reused),
        increase(before.prefilled, prefilled));
  }

  private static double increase(double before, double now) {
    // A counter without labels may appear only when it is first incremented.
    double change = now - (Double.isNaN(before) ? 0 : before);
    return change >= 0 ? change : Double.NaN;
  }
}
