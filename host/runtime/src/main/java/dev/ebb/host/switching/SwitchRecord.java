package dev.ebb.host.switching;

import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.policy.SwitchTimes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.ScanTimes;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.plugin.UnloadReport;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A policy switch, successful or not. Contains only text and numbers. */
public final class SwitchRecord {

  private final long number;
  private final Instant time;
  private final SwitchCause cause;
  private final StrategyVersion from;
  private final Map<SwitchStep, Duration> steps = new EnumMap<>(SwitchStep.class);
  private StrategyVersion to;
  private Map<String, Object> settings = Map.of();
  private SwitchStep step = SwitchStep.VERIFY;
  private long since = System.nanoTime();
  private @Nullable SwitchStep failedStep;
  private String failure = "";
  private String stack = "";
  private @Nullable Instant publishedAt;
  private @Nullable UnloadReport unloading;

  SwitchRecord(long number, SwitchCause cause, StrategyVersion from, StrategyVersion to) {
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

  synchronized void took(SwitchStep step, long nanos) {
    steps.put(step, Duration.ofNanos(nanos));
  }

  void loaded(ScanTimes times) {
    took(SwitchStep.STAGE, times.stageNanos());
    took(SwitchStep.VERIFY, times.verifyNanos());
    took(SwitchStep.LOAD, times.loadNanos());
  }

  synchronized void begin(SwitchStep next) {
    long now = System.nanoTime();
    if (step == SwitchStep.CREATE || step == SwitchStep.SELF_TEST) {
      took(step, now - since);
    }
    step = next;
    since = now;
  }

  void tookOver(SwitchTimes times) {
    took(SwitchStep.SNAPSHOT, times.snapshotNanos());
    took(SwitchStep.CATCH_UP, times.catchUpNanos());
    took(SwitchStep.CHECK, times.checkNanos());
  }

  synchronized void published() {
    took(SwitchStep.PUBLISH, System.nanoTime() - since);
    publishedAt = Instant.now();
  }

  UserError failed(UserError error) {
    UserError unchanged = failed(String.join("; ", error.messages()), "");
    // A wrong name or setting is the caller's mistake: nothing has begun.
    return step == SwitchStep.VERIFY || step == SwitchStep.CREATE ? error : unchanged;
  }

  UserError failed(PolicyFault fault) {
    if (fault.kind() == PolicyFault.Kind.WRONG_SIZE) {
      step = SwitchStep.CHECK;
    }
    return failed(String.valueOf(fault.getMessage()), fault.pluginStack());
  }

  synchronized UserError failed(String why, String pluginStack) {
    failedStep = step;
    failure = why;
    stack = pluginStack;
    return new UserError(
        cause.kind() == SwitchCause.Kind.START
            ? why
            : "%s; '%s' stays active".formatted(why, from.name()));
  }

  /**
   * Records the unloading of the previous policy's JAR. Returns false if the JAR belongs to another
   * switch.
   */
  synchronized boolean unloaded(UnloadReport of) {
    boolean mine = publishedAt != null && unloading == null && of.sha256().equals(from.sha256());
    if (mine) {
      unloading = of;
      took(SwitchStep.UNLOAD, of.unload().toNanos());
    }
    return mine;
  }

  /** Returns the number of the switch, from 1 in this process. */
  public long number() {
    return number;
  }

  /** Returns when the switch began by the system's clock. */
  public Instant time() {
    return time;
  }

  public SwitchCause cause() {
    return cause;
  }

  public StrategyVersion from() {
    return from;
  }

  /** Returns the requested policy, without a version if it was not found. */
  public synchronized StrategyVersion to() {
    return to;
  }

  /** Returns the requested policy's settings that differ from the default, by key. */
  public synchronized Map<String, Object> settings() {
    return settings;
  }

  /** Returns the duration of each completed step, in order. */
  public synchronized Map<SwitchStep, Duration> steps() {
    Map<SwitchStep, Duration> all = new EnumMap<>(steps);
    if (unloading != null
        && unloading.outcome() == UnloadReport.Outcome.COLLECTED
        && unloading.took() != null) {
      all.put(SwitchStep.COLLECT, unloading.took());
    }
    return all;
  }

  public synchronized boolean isPublished() {
    return publishedAt != null;
  }

  /** Returns when the requested policy became active by the system's clock; null if it did not. */
  public synchronized @Nullable Instant publishedAt() {
    return publishedAt;
  }

  public synchronized @Nullable SwitchStep failedStep() {
    return failedStep;
  }

  /** Returns the reason for a failure on one line; empty if the switch did not fail. */
  public synchronized String failure() {
    return failure;
  }

  /** Returns the stack trace of the plugin's exception that made the switch fail; may be empty. */
  public synchronized String stack() {
    return stack;
  }

  /** Returns the state of the previous policy's class loader; null if it was not unloaded. */
  public synchronized UnloadReport.@Nullable Outcome loader() {
    return unloading == null ? null : unloading.outcome();
  }
}
