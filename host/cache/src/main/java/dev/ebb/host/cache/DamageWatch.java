package dev.ebb.host.cache;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for contradictions in the records of a cache, a few entries at a time, and at all sums
 * while the cache is idle. A policy runs in the same process, so it can change these records by
 * reflection, and no other policy could fix them.
 */
public final class DamageWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DamageWatch.class);

  private static final long PERIOD_MILLIS = 100;

  /** A change that is made in several steps, between which others get the lock, takes less. */
  private static final long CONFIRM_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final PolicySite site;
  private final long confirmNanos;
  private Map<PolicyPlace, PlaceCheck> checks = Map.of();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread =
      Thread.ofPlatform().daemon().name("ebb-damage-watch").unstarted(this::run);
  private volatile @Nullable String damage;

  private DamageWatch(PolicySite site, long confirmNanos) {
    this.site = site;
    this.confirmNanos = confirmNanos;
  }

  /** Starts to look at a site, which must outlive the result. */
  public static DamageWatch start(PolicySite site) {
    return start(site, CONFIRM_NANOS);
  }

  static DamageWatch start(PolicySite site, long confirmNanos) {
    DamageWatch watch = new DamageWatch(site, confirmNanos);
    watch.thread.start();
    return watch;
  }

  /** Returns what is wrong; null if nothing is. Once there is something, it stays. */
  public @Nullable String damage() {
    return damage;
  }

  private void run() {
    while (damage == null && !isClosed()) {
      Map<PolicyPlace, PlaceCheck> before = checks;
      checks =
          site.places().stream()
              .collect(
                  Collectors.toMap(
                      place -> place, place -> before.getOrDefault(place, new PlaceCheck(place))));
      for (PlaceCheck check : checks.values()) {
        String found = check.next(confirmNanos);
        if (found != null) {
          damaged(found);
          return;
        }
      }
    }
  }

  private boolean isClosed() {
    try {
      return closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException byAPlugin) {
      return false;
    }
  }

  private void damaged(String found) {
    damage = found;
    LOG.error(
        "the cache is damaged: a policy or another plugin has changed its records; start the"
            + " process again, without that plugin policy={} reason=\"{}\"",
        site.policy(),
        found);
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
