package dev.ebb.benchmarks;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheRequest;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.cache.RequestFacts;
import java.io.PrintStream;

/**
 * Heap per resident entry, index, bookkeeping and the policy's ghosts included: the growth of the
 * used heap while a full cache of a million blocks is filled and turned over once.
 */
public final class MemoryPerEntry {

  private static final int RESIDENTS = 1_000_000;
  private static final int CHAIN = 20;

  private MemoryPerEntry() {}

  /**
   * Prints a line for each policy.
   *
   * @param policies the policies' names
   */
  public static void main(String[] policies) {
    PrintStream out = System.out;
    for (String policy : policies) {
      long before = usedHeap();
      BlockCache cache = filled(policy);
      long bytes = usedHeap() - before;
      out.printf("%-12s %5.1f bytes an entry%n", policy, (double) bytes / cache.residentBlocks());
    }
  }

  private static BlockCache filled(String policy) {
    BlockCache cache =
        new BlockCache(RESIDENTS, () -> 0, new GhostWindow(1), BlockCache.OnFault.FAIL);
    cache.install(policy, Policies.create(policy, RESIDENTS));
    CacheRequest request = new CacheRequest();
    long key = 1;
    for (int i = 0; i < 2 * RESIDENTS / CHAIN; i++) {
      request.reset(new RequestFacts(i, 1, 400, -1, 1, null, null, 0), 400);
      for (int block = 0; block < CHAIN; block++) {
        key = key * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
        request.add(key, ~key);
      }
      cache.begin(request);
      cache.admit(request);
      cache.finish(request);
    }
    return cache;
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
