package dev.ebb.host.swap;

import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.plugin.Unloading;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One switch of the active policy, or the attempt at one. Text and numbers only. */
public final class SwapRecord {

  private final long number;
  private final Instant time;
  private final SwapCause cause;
  private final StrategyVersion from;
  private final Map<SwapStep, Duration> steps = new EnumMap<>(SwapStep.class);
  private StrategyVersion to;
  private Map<String, Object> settings = Map.of();
  private @Nullable SwapStep failedStep;
  private String failure = "";
  private String stack = "";
  private @Nullable Instant publishedAt;
  private @Nullable Unloading unloading;

  SwapRecord(long number, SwapCause cause, StrategyVersion from, StrategyVersion to) {
    this.number = number;
    this.time = Instant.now();
    this.cause = cause;
    this.from = from;
    this.to = to;
  }

  synchronized void to(StrategyVersion version, Map<String, Object> configured) {
    to = version;
    settings = configured;
  }

  synchronized void took(SwapStep step, long nanos) {
    steps.put(step, Duration.ofNanos(nanos));
  }

  synchronized void failed(SwapStep step, String why, String pluginStack) {
    failedStep = step;
    failure = why;
    stack = pluginStack;
  }

  synchronized void published() {
    publishedAt = Instant.now();
  }

  /** Takes the unloading of what was active before; false if it is of another. */
  synchronized boolean unloaded(Unloading of) {
    boolean mine = publishedAt != null && unloading == null && of.sha256().equals(from.sha256());
    if (mine) {
      unloading = of;
      took(SwapStep.UNLOAD, of.unload().toNanos());
    }
    return mine;
  }

  /**
   * Its number.
   *
   * @return 1 for the first of this process
   */
  public long number() {
    return number;
  }

  /**
   * When it began.
   *
   * @return by the system's clock
   */
  public Instant time() {
    return time;
  }

  /** Why it was done. */
  public SwapCause cause() {
    return cause;
  }

  /**
   * What was active.
   *
   * @return the policy before
   */
  public StrategyVersion from() {
    return from;
  }

  /**
   * What was wanted.
   *
   * @return the policy; without a version if it was not found
   */
  public synchronized StrategyVersion to() {
    return to;
  }

  /**
   * How the wanted policy was configured then.
   *
   * @return its settings by key; those with their default are left out
   */
  public synchronized Map<String, Object> settings() {
    return settings;
  }

  /**
   * What was done, and how long it took.
   *
   * @return in order; steps that were not needed or are not over are left out
   */
  public synchronized Map<SwapStep, Duration> steps() {
    Map<SwapStep, Duration> all = new EnumMap<>(steps);
    if (unloading != null
        && unloading.outcome() == Unloading.Outcome.COLLECTED
        && unloading.took() != null) {
      all.put(SwapStep.COLLECT, unloading.took());
    }
    return all;
  }

  /**
   * Returns whether the wanted policy became active.
   *
   * @return false if it failed, or is not over
   */
  public synchronized boolean isPublished() {
    return publishedAt != null;
  }

  /**
   * When the wanted policy became active.
   *
   * @return by the system's clock; null if it failed, or is not over
   */
  public synchronized @Nullable Instant publishedAt() {
    return publishedAt;
  }

  /**
   * Where it failed.
   *
   * @return the step; null if it did not
   */
  public synchronized @Nullable SwapStep failedStep() {
    return failedStep;
  }

  /**
   * Why it failed.
   *
   * @return one line; empty if it did not
   */
  public synchronized String failure() {
    return failure;
  }

  /**
   * What a plugin threw, if that was the reason.
   *
   * @return a stack trace as text; may be empty
   */
  public synchronized String stack() {
    return stack;
  }

  /**
   * What became of the copy of the active JAR.
   *
   * @return its class loader's fate; null if it was not unloaded
   */
  public synchronized Unloading.@Nullable Outcome loader() {
    return unloading == null ? null : unloading.outcome();
  }
}
