package dev.ebb.host.replay;

import org.HdrHistogram.Histogram;

/**
 * How many prompt tokens of a request have to be computed, over all requests; -1 if no request has
 * tokens. Exact up to 2,047 tokens, otherwise within 0.1 %.
 */
public record PrefillTokens(long p50, long p95, long p99) {

  /** No request has tokens. */
  public static final PrefillTokens UNKNOWN = new PrefillTokens(-1, -1, -1);

  static PrefillTokens of(Histogram requests) {
    return requests.getTotalCount() == 0
        ? UNKNOWN
        : new PrefillTokens(
            requests.getValueAtPercentile(50),
            requests.getValueAtPercentile(95),
            requests.getValueAtPercentile(99));
  }
}
