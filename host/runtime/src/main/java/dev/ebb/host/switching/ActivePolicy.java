package dev.ebb.host.switching;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.spi.BlockPolicy;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A policy with its instances in all partitions of a site, from creation until the last instance is
 * closed. Holds no reference to the plugin.
 */
final class ActivePolicy {

  private final StrategyVersion version;
  private final @Nullable SwitchRecord started;
  private final BiConsumer<ActivePolicy, PolicyFault> onFault;
  private final Set<StrategyVersion> uses = new LinkedHashSet<>();
  private volatile boolean active;
  private int open;
  private int unanswered;
  private long longestAnswer;
  private @Nullable SwitchRecord endedBy;
  private long endedAt;

  /**
   * Creates a policy without instances.
   *
   * @param started the switch to it; null for the one that is active at the start
   */
  ActivePolicy(
      StrategyVersion version,
      @Nullable SwitchRecord started,
      BiConsumer<ActivePolicy, PolicyFault> onFault) {
    this.version = version;
    this.started = started;
    this.onFault = onFault;
  }

  StrategyVersion version() {
    return version;
  }

  /** Returns the predictors and policies that the instances use. */
  synchronized Set<StrategyVersion> uses() {
    return Set.copyOf(uses);
  }

  /** Adds an instance for one partition. Its lease ends when the cache has closed it. */
  synchronized PolicyCandidate add(StrategyInstance<BlockPolicy<?>> instance) {
    open++;
    unanswered++;
    uses.addAll(instance.uses());
    Runnable release = instance::release;
    Runnable cancel = instance::cancelTasks;
    return new PolicyCandidate(version.name(), instance.value(), instance.betweenEvents()) {
      @Override
      protected void failed(PolicyFault fault) {
        cancel.run();
        if (active) {
          onFault.accept(ActivePolicy.this, fault);
        }
      }

      @Override
      protected void answered(long nanos) {
        ActivePolicy.this.answered(nanos);
      }

      @Override
      protected void closed() {
        release.run();
        ActivePolicy.this.closed();
      }
    };
  }

  void began() {
    active = true;
  }

  private synchronized void answered(long nanos) {
    longestAnswer = Math.max(longestAnswer, nanos);
    if (--unanswered == 0 && started != null) {
      started.took(SwitchStep.ANSWER, longestAnswer);
    }
  }

  synchronized void ended(SwitchRecord by) {
    active = false;
    endedAt = System.nanoTime();
    endedBy = by;
    if (open == 0) {
      by.took(SwitchStep.CLOSE, 0);
    }
  }

  private synchronized void closed() {
    SwitchRecord by = endedBy;
    if (--open == 0 && by != null) {
      by.took(SwitchStep.CLOSE, System.nanoTime() - endedAt);
    }
  }
}
