package dev.ebb.benchmarks;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import java.io.PrintStream;

/**
 * Heap per resident entry, index and bookkeeping included: the growth of the used heap while a
 * cache of a million blocks is filled. It is measured again when all were replaced by others, so
 * that the policy has its ghosts too.
 */
public final class MemoryPerEntry {

  private static final int RESIDENTS = 1_000_000;
  private static final int CHAIN = 20;

  private final BlockCache cache =
      new InlineBlockCache(RESIDENTS, () -> 0, new GhostWindow(1), OnFault.FAIL);
  private final CacheRequest request = new CacheRequest();
  private long key = 1;

  private MemoryPerEntry(String policy) {
    cache.install(policy, Policies.create(policy, RESIDENTS));
  }

  /**
   * Prints a line for each policy.
   *
   * @param policies the policies' names
   */
  public static void main(String[] policies) {
    PrintStream out = System.out;
    for (String policy : policies) {
      long before = usedHeap();
      MemoryPerEntry measured = new MemoryPerEntry(policy);
      measured.admitAsManyAsFit();
      double full = (double) (usedHeap() - before) / measured.cache.residentBlocks();
      measured.admitAsManyAsFit();
      double turnedOver = (double) (usedHeap() - before) / measured.cache.residentBlocks();
      out.printf("%-12s %5.1f bytes an entry, %5.1f when turned over%n", policy, full, turnedOver);
    }
  }

  private void admitAsManyAsFit() {
    for (int i = 0; i < RESIDENTS / CHAIN; i++) {
      request.reset(RequestFacts.UNKNOWN.ofSequence(i, 1).withLengths(400, -1), 400);
      for (int block = 0; block < CHAIN; block++) {
        key = key * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
        request.add(key, ~key);
      }
      cache.begin(request);
      cache.admit(request);
      cache.finish(request);
    }
  }

  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
    }
    return used;
  }
}
