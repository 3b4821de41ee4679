package dev.ebb.host.pool;

import dev.ebb.host.pool.runs.RunAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * Lengthens free runs. It visits windows as long as the wanted run, emptiest first, and moves their
 * blocks into holes elsewhere. Blocks allocated as one run move as one. Works under the pool's
 * lock.
 */
final class Compactor {

  private static final int TRIES = 8;

  private final KvPool pool;
  private final int window;
  private final long start = System.nanoTime();
  private final double before;
  private int moved;

  Compactor(KvPool pool, int window) {
    this.pool = pool;
    this.window = window;
    before = pool.allocator.fragmentation();
  }

  CompactionReport slice(double threshold, long maxBytes) {
    int budget = (int) Math.min(Integer.MAX_VALUE, maxBytes / pool.layout().blockBytes());
    if (before > threshold) {
      for (int first : emptiestFirst()) {
        if (moved >= Math.max(1, budget) || pool.allocator.fragmentation() <= threshold) {
          break;
        }
        // However small the slice, something moves: otherwise a long run would never move.
        moved += new Evacuation(pool, first, window).run(window, budget - moved, moved == 0);
      }
    }
    return report();
  }

  CompactionReport makeRun() {
    RunAllocator allocator = pool.allocator;
    if (window <= allocator.freeBlocks()) {
      int tries = 0;
      for (int first : cheapestFirst()) {
        if (allocator.largestRun() >= window || tries++ == TRIES) {
          break;
        }
        moved +=
            new Evacuation(pool, first, window).run(Integer.MAX_VALUE, Integer.MAX_VALUE, true);
      }
    }
    return report();
  }

  private CompactionReport report() {
    return new CompactionReport(
        moved,
        (long) moved * pool.layout().blockBytes(),
        System.nanoTime() - start,
        before,
        pool.allocator.fragmentation(),
        pool.allocator.largestRun());
  }

  /** Returns adjacent windows that have both free and allocated blocks, emptiest first. */
  private List<Integer> emptiestFirst() {
    return windows(window, false);
  }

  /** Returns windows that overlap by half and have only movable blocks, cheapest first. */
  private List<Integer> cheapestFirst() {
    return windows(Math.max(1, window / 2), true);
  }

  private List<Integer> windows(int stride, boolean movableOnly) {
    RunAllocator allocator = pool.allocator;
    List<List<Integer>> byFree = new ArrayList<>();
    int last = allocator.blocks() - window;
    for (int first = 0; first <= last; first += stride) {
      int free = allocator.countFree(first, window);
      if (free > 0 && free < window && (!movableOnly || movable(first))) {
        while (byFree.size() <= free) {
          byFree.add(new ArrayList<>());
        }
        byFree.get(free).add(first);
      }
      if (first > last - stride) {
        break;
      }
    }
    return byFree.reversed().stream().flatMap(List::stream).toList();
  }

  private boolean movable(int first) {
    for (int block = first; block < first + window; block++) {
      if (!pool.allocator.isFree(block) && !pool.ledger.movable(block)) {
        return false;
      }
    }
    return true;
  }
}
