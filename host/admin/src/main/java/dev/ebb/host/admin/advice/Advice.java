package dev.ebb.host.admin.advice;

import dev.ebb.host.http.Json;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * One sentence for operators: what is wrong, what it costs and what to do.
 *
 * @param kind what it is about, a {@link Kind} in lower case
 * @param since when it began, ISO 8601
 * @param gain what following it brings, as a share of all requested values or tokens, 0 to 1; null
 *     if unknown
 * @param policy the policy to switch to; null if that is not the advice
 */
public record Advice(
    String kind, String since, String text, @Nullable Double gain, @Nullable String policy) {

  /** What advice is about. Failures come first, then the larger gain. */
  public enum Kind {
    /** Ebb's own policy stands in for one that failed. */
    POLICY_FAILED,
    /** Threads of a policy did not return. */
    POLICY_STUCK,
    /** The disk tier failed. */
    DISK_OUT_OF_USE,
    /** No other node of the cluster answers. */
    CLUSTER_ALONE,
    /** Garbage collection frees too little. */
    HEAP_FULL,
    /** Many values find no space. */
    VALUES_NOT_STORED,
    /** More memory would bring hits. */
    POOL_TOO_SMALL,
    /** A candidate would have more hits. */
    BETTER_POLICY
  }

  static Advice of(
      Kind kind, Instant since, String text, @Nullable Double gain, @Nullable String policy) {
    return new Advice(
        Json.word(kind), since.truncatedTo(ChronoUnit.MILLIS).toString(), text, gain, policy);
  }
}
