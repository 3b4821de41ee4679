package dev.ebb.host.switching;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Tests a policy instance on a small cache, on a thread that can be abandoned, before the policy
 * receives real entries. The test finds immediate contract violations, not later ones.
 */
final class SelfTest {

  static final long CAPACITY = 1_024;

  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final int STEPS = 600;
  private static final int KEYS = 160;
  private static final int HEAVIEST = 32;

  private SelfTest() {}

  /**
   * Tests a policy.
   *
   * @param maker creates the instance on the test's thread; the test closes it
   * @throws PolicyFault if it breaks the contract
   * @throws UserError if the policy does not return in time
   */
  static void run(String name, Supplier<PolicyCandidate> maker) {
    FutureTask<Boolean> test =
        new FutureTask<>(() -> {
          keepInOrder(maker.get());
          return true;
        });
    Thread thread = Thread.ofPlatform().daemon().name("ebb-policy-self-test-" + name).start(test);
    try {
      test.get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      String where =
          PluginCall.line(List.of(thread.getStackTrace())).map(line -> ", at " + line).orElse("");
      thread.setName("ebb-policy-abandoned-" + name);
      thread.interrupt();
      throw new UserError(
          "policy '%s' did not end its self-test within %d s%s; its thread was abandoned"
              .formatted(name, DEADLINE.toSeconds(), where));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new UserError("the self-test of policy '%s' was interrupted".formatted(name));
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(String.valueOf(failed.getCause()));
    }
  }

  private static void keepInOrder(PolicyCandidate policy) {
    BlockCache cache =
        new InlineBlockCache(CAPACITY, System::nanoTime, new GhostWindow(1), OnFault.FAIL);
    try {
      cache.install(policy);
      Random random = new Random(1);
      for (int step = 0; step < STEPS; step++) {
        long key = 1L + random.nextInt(KEYS);
        CacheEntry entry = cache.find(key, key);
        if (entry == null) {
          insert(cache, key, 1 + random.nextInt(HEAVIEST));
        } else {
          use(cache, entry, random.nextInt(8));
        }
      }
      long held = cache.policySize();
      if (held != cache.residentEntries()) {
        throw new UserError(
            "policy '%s' holds %d entries in its self-test, and %d are resident"
                .formatted(policy.name(), held, cache.residentEntries()));
      }
    } finally {
      cache.close();
    }
  }

  private static void insert(BlockCache cache, long key, int blocks) {
    if (cache.reserve(blocks, RequestFacts.UNKNOWN)) {
      cache.insert(key, key, blocks, RequestFacts.UNKNOWN);
    }
  }

  private static void use(BlockCache cache, CacheEntry entry, int how) {
    switch (how) {
      case 0 -> cache.remove(entry, RemovalCause.DELETED);
      case 1 -> {
        cache.pin(entry);
        cache.evict(HEAVIEST, Demand.Reason.BACKGROUND, RequestFacts.UNKNOWN);
        cache.unpin(entry);
      }
      default -> cache.access(entry, RequestFacts.UNKNOWN);
    }
  }
}
