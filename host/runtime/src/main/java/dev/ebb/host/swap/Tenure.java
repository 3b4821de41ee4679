package dev.ebb.host.swap;

import dev.ebb.host.cache.Fate;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.policy.Instance;
import dev.ebb.spi.BlockPolicy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The time of one policy in all parts of the pool, from creation to the last close. Holds nothing
 * of the plugin.
 */
final class Tenure {

  private final StrategyVersion version;
  private final BiConsumer<Tenure, PolicyFault> onFault;
  private final AtomicInteger open = new AtomicInteger();
  private final Set<StrategyVersion> predictors = ConcurrentHashMap.newKeySet();
  private volatile boolean inForce;
  private volatile @Nullable SwapRecord endedBy;
  private volatile long endedAt;

  Tenure(StrategyVersion version, BiConsumer<Tenure, PolicyFault> onFault) {
    this.version = version;
    this.onFault = onFault;
  }

  StrategyVersion version() {
    return version;
  }

  /** The predictors of its instances. */
  Set<StrategyVersion> predictors() {
    return predictors;
  }

  /** An instance for one part; its lease ends when the cache has closed it. */
  PolicyCandidate add(Instance<BlockPolicy<?>> instance) {
    open.incrementAndGet();
    predictors.addAll(instance.predictors());
    Runnable release = instance::release;
    return new PolicyCandidate(
        version.name(),
        instance.value(),
        new Fate() {
          @Override
          public void failed(PolicyFault fault) {
            if (inForce) {
              onFault.accept(Tenure.this, fault);
            }
          }

          @Override
          public void closed() {
            release.run();
            Tenure.this.closed();
          }
        });
  }

  void began() {
    inForce = true;
  }

  synchronized void ended(SwapRecord by) {
    inForce = false;
    endedAt = System.nanoTime();
    endedBy = by;
    if (open.get() == 0) {
      by.took(SwapStep.CLOSE, 0);
    }
  }

  private synchronized void closed() {
    SwapRecord by = endedBy;
    if (open.decrementAndGet() == 0 && by != null) {
      by.took(SwapStep.CLOSE, System.nanoTime() - endedAt);
    }
  }
}
