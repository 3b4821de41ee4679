package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.HostDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that allocate, pin, copy and free while others compact, and copy both ways. */
class KvPoolThreadsTest {

  private static final int STEPS = 20_000;

  @Test
  @Timeout(120)
  void nothingIsLostOrOverwritten() throws InterruptedException, ExecutionException {
    try (HostDevice device = new HostDevice();
        ExecutorService threads = Executors.newCachedThreadPool()) {
      KvPool one = Pools.of(device, 200);
      KvPool two = Pools.of(device, 200);
      List<Callable<Boolean>> work =
          List.of(
              () -> use(one, 1),
              () -> use(one, 2),
              () -> use(two, 3),
              () -> transfer(one, two, 4),
              () -> transfer(two, one, 5),
              () -> compact(one, 6),
              () -> compact(two, 7));
      for (Future<Boolean> done : threads.invokeAll(work)) {
        assertThat(done.get()).isTrue();
      }
      for (KvPool pool : List.of(one, two)) {
        assertThat(pool.held()).isEmpty();
        assertThat(pool.stats())
            .isEqualTo(new PoolStats(200, 200, 0, 0, Pools.LAYOUT.blockBytes(), 0, 200));
      }
    }
  }

  @Test
  @Timeout(120)
  void everyCallCountsOnceWithConcurrentCallers() throws InterruptedException, ExecutionException {
    try (HostDevice device = new HostDevice();
        ExecutorService threads = Executors.newCachedThreadPool()) {
      KvPool pool = Pools.of(device, 64);
      int[] common = pool.allocate(new BlockOwner("all"), 4, Placement.CONTIGUOUS);
      List<Callable<int[]>> work =
          List.of(() -> call(pool, common, 1), () -> call(pool, common, 2));
      int[] references = {1, 1, 1, 1};
      for (Future<int[]> done : threads.invokeAll(work)) {
        for (int i = 0; i < common.length; i++) {
          references[i] += done.get()[i];
        }
      }
      for (int i = 0; i < common.length; i++) {
        assertThat(pool.info(common[i]))
            .extracting(BlockInfo::references, BlockInfo::pins)
            .containsExactly(references[i], 0);
      }
      assertThat(pool.stats().freeBlocks()).isEqualTo(60);
    }
  }

  /** Calls with no lock but the pool's own; returns the references it added to each block. */
  private static int[] call(KvPool pool, int[] common, long seed) {
    Random random = new Random(seed);
    BlockOwner owner = new BlockOwner("caller " + seed);
    int[] added = new int[common.length];
    for (int step = 0; step < STEPS * 10; step++) {
      int index = random.nextInt(common.length);
      int block = common[index];
      pool.pin(block);
      if (added[index] == 0 || random.nextBoolean()) {
        pool.share(block);
        added[index]++;
      } else {
        pool.free(block);
        added[index]--;
      }
      int[] own = pool.allocate(owner, 1 + random.nextInt(8), Placement.SCATTERED);
      pool.free(own);
      pool.unpin(block);
    }
    return added;
  }

  /** A block that is followed, not pinned. */
  private static final class Held {
    final long pattern;
    int block;

    Held(int block, long pattern) {
      this.block = block;
      this.pattern = pattern;
    }
  }

  private static boolean use(KvPool pool, long seed) {
    Random random = new Random(seed);
    BlockOwner owner = new BlockOwner("user " + seed);
    List<Held> held = new ArrayList<>();
    pool.movement().onMove(moves -> held.forEach(block -> follow(block, moves)));
    for (int step = 0; step < STEPS; step++) {
      long pattern = seed * STEPS + step;
      if (held.size() < 30 && random.nextInt(5) < 3) {
        assertThat(pool.atomically(() -> held.add(allocate(pool, owner, pattern)))).isTrue();
      } else if (!held.isEmpty()) {
        drop(pool, held, random.nextInt(held.size()));
      }
    }
    while (!held.isEmpty()) {
      drop(pool, held, 0);
    }
    return true;
  }

  private static Held allocate(KvPool pool, BlockOwner owner, long pattern) {
    int block = pool.allocate(owner, 1, Placement.CONTIGUOUS)[0];
    Pools.fill(pool, block, pattern);
    return new Held(block, pattern);
  }

  private static void drop(KvPool pool, List<Held> held, int index) {
    Held dropped =
        pool.atomically(() -> {
          Held block = held.remove(index);
          pool.pin(block.block);
          return block;
        });
    // Outside of the lock: only the pin keeps it where it is.
    Pools.verify(pool, dropped.block, dropped.pattern);
    pool.atomically(() -> {
      pool.unpin(dropped.block);
      pool.free(dropped.block);
      return true;
    });
  }

  private static void follow(Held held, BlockMoves moves) {
    for (int i = 0; i < moves.count(); i++) {
      if (moves.from(i) == held.block) {
        held.block = moves.to(i);
        return;
      }
    }
  }

  private static boolean compact(KvPool pool, long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < STEPS / 4; step++) {
      pool.movement().compact(random.nextDouble(), 64L * random.nextInt(20));
      pool.movement().makeRun(1 + random.nextInt(20));
    }
    return true;
  }

  /** Copies blocks of its own to the other pool, again and again. */
  private static boolean transfer(KvPool source, KvPool target, long seed) {
    BlockOwner owner = new BlockOwner("transfer " + seed);
    for (int step = 0; step < STEPS / 20; step++) {
      int[] from = new int[3];
      int[] to = new int[3];
      for (int i = 0; i < from.length; i++) {
        from[i] = allocatePinned(source, owner);
        to[i] = allocatePinned(target, owner);
        Pools.fill(source, from[i], seed * STEPS + step + i);
      }
      BlockTransfer transfer = new BlockTransfer(source, target, true);
      while (transfer.copied() < from.length) {
        transfer.run(from, to, 64);
      }
      for (int i = 0; i < from.length; i++) {
        Pools.verify(target, to[i], seed * STEPS + step + i);
        freePinned(source, from[i]);
        freePinned(target, to[i]);
      }
    }
    return true;
  }

  private static int allocatePinned(KvPool pool, BlockOwner owner) {
    return pool.atomically(() -> {
      int block = pool.allocate(owner, 1, Placement.CONTIGUOUS)[0];
      pool.pin(block);
      return block;
    });
  }

  private static void freePinned(KvPool pool, int block) {
    pool.atomically(() -> {
      pool.unpin(block);
      pool.free(block);
      return true;
    });
  }
}
