package dev.ebb.host.enginebench;

import java.util.List;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of a server.
 *
 * @param seconds from the first request to the end of the last answer
 * @param completed of these, requests with a complete answer
 * @param leftOut requests of the trace with longer prompts than allowed
 * @param skippedLines malformed lines of the trace that were left out
 * @param wordsPerToken of the server's tokenizer, in the texts sent
 * @param firstToken nanoseconds from sending a request to the first text of its answer
 * @param interToken nanoseconds between two tokens of an answer
 * @param latency nanoseconds from sending a request to the last text of its answer
 * @param tenants the tenants of the trace, by name; empty if it has none
 * @param faults the failed requests, the most frequent kind first
 * @param promptLimit which prompts the server has space for; null if it refused none as too long
 * @param stopped why the measurement was stopped before its end; null if it was not
 * @param samples one for each complete answer, in the order of their ends
 */
public record EngineResult(
    String server,
    String model,
    EngineTarget.Api api,
    String trace,
    EngineLoad.Pace pace,
    double seconds,
    long sent,
    long completed,
    long leftOut,
    long skippedLines,
    Tokens tokens,
    double wordsPerToken,
    Histogram firstToken,
    Histogram interToken,
    Histogram latency,
    List<Tenant> tenants,
    List<Fault> faults,
    @Nullable PromptLimit promptLimit,
    @Nullable String stopped,
    List<Sample> samples) {

  /** How the reused tokens are known. */
  public enum Source {
    /** From the usage in the answers. */
    USAGE,
    /** From the server's metrics before and after; requests of other clients count too. */
    METRICS,
    NOT_REPORTED
  }

  /**
   * Tokens of all complete answers.
   *
   * @param prompt tokens of prompts; NaN if not reported
   * @param reused of these, tokens whose K and V were in the cache; NaN if not reported
   * @param source how {@code reused} is known
   * @param estimated whether {@code generated} counts the events with text of some answers, because
   *     the server did not report the tokens
   */
  public record Tokens(
      double prompt, double reused, Source source, long generated, boolean estimated) {

    /** Returns the prompt tokens whose K and V were computed; NaN if not reported. */
    public double prefilled() {
      return prompt - reused;
    }

    /** Returns the share of the prompt tokens that were reused; NaN if not reported. */
    public double reusedShare() {
      return prompt == 0 ? Double.NaN : reused / prompt;
    }
  }

  /**
   * A tenant's share.
   *
   * @param completed requests with a complete answer
   * @param prompt tokens of its prompts; NaN if not reported
   * @param reused of these, reused ones; NaN if not reported for each request
   */
  public record Tenant(
      String name, long completed, double prompt, double reused, double firstTokenMillis) {}

  /**
   * Failed requests of one kind.
   *
   * @param kind such as {@code HTTP 429} or {@code timeout}
   * @param first the message of the first one
   */
  public record Fault(String kind, long count, String first) {}

  /**
   * The limits with which all prompts would have fitted, in tokens of the trace. The server may
   * count a few more, such as those of its chat template.
   *
   * @param maxInputTokens the longest prompt that is shorter than all refused ones; 0 if none
   *     fitted
   * @param contextTokens the longest prompt with its answer
   */
  public record PromptLimit(long maxInputTokens, long contextTokens) {}

  /**
   * A complete answer.
   *
   * @param startSeconds when its request was sent, since the first one
   * @param endSeconds when its last text arrived
   * @param prompt tokens of the prompt; NaN if not reported
   * @param reused of these, reused ones; NaN if not reported
   */
  public record Sample(
      double startSeconds,
      double endSeconds,
      double firstTokenMillis,
      double prompt,
      double reused,
      long generated) {}

  public EngineResult {
    tenants = List.copyOf(tenants);
    faults = List.copyOf(faults);
    samples = List.copyOf(samples);
  }

  /** Returns complete answers a second. */
  public double requestsPerSecond() {
    return completed / seconds;
  }

  /** Returns generated tokens a second. */
  public double tokensPerSecond() {
    return tokens.generated / seconds;
  }

  public long errors() {
    return faults.stream().mapToLong(Fault::count).sum();
  }

  /**
   * Returns Jain's index over the tenants' shares of reused tokens: 0 to 1; NaN if not reported, or
   * without tenants.
   */
  public double reuseFairness() {
    return jain(
        tenants.stream()
            .filter(tenant -> tenant.prompt > 0)
            .mapToDouble(tenant -> tenant.reused / tenant.prompt)
            .toArray());
  }

  /**
   * Returns Jain's index over the tenants' mean times to the first token: 0 to 1; NaN without
   * tenants.
   */
  public double latencyFairness() {
    return jain(
        tenants.stream()
            .filter(tenant -> tenant.completed > 0)
            .mapToDouble(Tenant::firstTokenMillis)
            .toArray());
  }

  private static double jain(double... values) {
    double sum = DoubleStream.of(values).sum();
    return sum * sum / (values.length * DoubleStream.of(values).map(value -> value * value).sum());
  }

  /** Returns whether every request had a complete answer. */
  public boolean good() {
    return faults.isEmpty() && stopped == null;
  }
}
