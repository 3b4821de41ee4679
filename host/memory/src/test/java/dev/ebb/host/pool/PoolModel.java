package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.pool.ModelReferences.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Random histories over two pools against a naive model. A call that a device failed is made again,
 * or given up where a user could; either way nothing may have changed.
 */
public final class PoolModel {

  private static final BlockOwner OWNER = new BlockOwner("model");
  private static final int MOST_TRIES = 40;

  private final long seed;
  private final Random random;
  private final List<KvPool> pools;
  private final Consumer<Random> beforeStep;
  private final ModelReferences model = new ModelReferences();
  private long patterns;
  private long failures;
  private int step;

  /**
   * Starts with empty pools.
   *
   * @param seed of the history; failures name it
   * @param one a pool
   * @param two another, of the same layout
   * @param beforeStep what else happens, such as a failure that is prepared
   */
  public PoolModel(long seed, KvPool one, KvPool two, Consumer<Random> beforeStep) {
    this.seed = seed;
    this.random = new Random(seed);
    this.pools = List.of(one, two);
    this.beforeStep = beforeStep;
    for (KvPool pool : pools) {
      pool.movement().onMove(moves -> model.follow(pool, moves));
    }
  }

  /**
   * Goes on with the history; checks everything each thousand steps and at the end.
   *
   * @param steps how far
   * @return false if a device was lost on the way
   */
  public boolean run(int steps) {
    try {
      for (int i = 0; i < steps; i++) {
        step++;
        beforeStep.accept(random);
        step();
        if (step % 1000 == 0) {
          check(pool -> true);
        }
      }
      check(pool -> true);
      return true;
    } catch (DeviceException failed) {
      if (failed.deviceLost()) {
        return false;
      }
      throw new AssertionError("seed %d, step %d".formatted(seed, step), failed);
    } catch (RuntimeException | AssertionError wrong) {
      throw new AssertionError("seed %d, step %d".formatted(seed, step), wrong);
    }
  }

  /**
   * Compares references, pins, free blocks and content with the model.
   *
   * @param readable the pools whose content is compared
   */
  public void check(Predicate<KvPool> readable) {
    model.check(pools, readable, this::verify);
  }

  /**
   * How often a device failed a call.
   *
   * @return since the start
   */
  public long failures() {
    return failures;
  }

  /** Releases all references; the pools must be as new then. */
  public void freeAll() {
    model.freeAll();
    for (KvPool pool : pools) {
      assertThat(pool.held()).as("seed %d", seed).isEmpty();
      assertThat(pool.stats())
          .as("seed %d", seed)
          .isEqualTo(
              new PoolStats(
                  pool.blocks(),
                  pool.blocks(),
                  0,
                  0,
                  pool.layout().blockBytes(),
                  0,
                  pool.blocks()));
    }
  }

  private void step() {
    int one = random.nextInt(2);
    KvPool pool = pools.get(one);
    int kind = random.nextInt(16);
    if (kind < 3) {
      allocate(pool);
    } else if (kind == 3) {
      compact(pool);
    } else if (kind == 4) {
      transfer(pool, pools.get(1 - one));
    } else if (!model.isEmpty()) {
      Reference any = model.any(random);
      switch (kind) {
        case 5, 6 -> share(any);
        case 7, 8 -> write(any);
        case 9 -> pinOrUnpin(any);
        default -> free(any);
      }
    }
  }

  private void allocate(KvPool pool) {
    Placement placement = random.nextInt(3) == 0 ? Placement.SCATTERED : Placement.CONTIGUOUS;
    int count = 1 + random.nextInt(placement == Placement.SCATTERED ? 6 : 12);
    try {
      int[] blocks = pool.allocate(OWNER, count, placement);
      List<Reference> fresh =
          Arrays.stream(blocks).mapToObj(block -> new Reference(pool, block, patterns++)).toList();
      if (placement == Placement.CONTIGUOUS) {
        model.addRun(fresh);
      } else {
        fresh.forEach(model::add);
      }
      fresh.forEach(this::fill);
    } catch (PoolFullException full) {
      int free = pool.freeBlocks();
      assertThat(full.compactionHelps()).isEqualTo(free >= count);
      assertThat(placement == Placement.CONTIGUOUS || free < count).isTrue();
      assertThat(pool.stats().largestFreeRun()).isLessThan(count);
    }
  }

  private void share(Reference shared) {
    shared.pool.share(shared.block);
    model.add(new Reference(shared.pool, shared.block, shared.pattern));
  }

  private void write(Reference writer) {
    if (writer.pins > 0) {
      return;
    }
    try {
      int before = writer.block;
      insist(() -> writer.block = writer.pool.writable(writer.block, OWNER));
      writer.alone |= writer.block != before;
    } catch (PoolFullException full) {
      assertThat(writer.pool.freeBlocks()).isZero();
      return;
    }
    verify(writer);
    writer.pattern = patterns++;
    fill(writer);
  }

  private void free(Reference freed) {
    boolean last = model.of(freed.pool).filter(other -> other.block == freed.block).count() == 1;
    if (freed.pins > 0) {
      if (last) {
        assertThatThrownBy(() -> freed.pool.free(freed.block))
            .isInstanceOf(BlockMisuseException.class);
      }
      return;
    }
    assertThat(last && freed.pool.info(freed.block).pinned()).as("a pin without holder").isFalse();
    freed.pool.free(freed.block);
    model.remove(freed);
  }

  private void pinOrUnpin(Reference reference) {
    if (reference.pins > 0) {
      reference.pool.unpin(reference.block);
      reference.pins--;
    } else if (random.nextInt(4) == 0) {
      reference.pool.pin(reference.block);
      reference.pins++;
    }
  }

  private void compact(KvPool pool) {
    if (random.nextBoolean()) {
      double threshold = random.nextDouble();
      long bytes = 64L * random.nextInt(60);
      insist(() -> pool.movement().compact(threshold, bytes));
    } else {
      int count = 1 + random.nextInt(20);
      insist(() -> pool.movement().makeRun(count));
    }
  }

  /** Copies blocks to the other pool, where they are blocks of their own, or gives up. */
  private void transfer(KvPool pool, KvPool other) {
    List<Reference> sources = model.of(pool).limit(1 + random.nextInt(5)).toList();
    int[] from = sources.stream().mapToInt(reference -> reference.block).toArray();
    if (from.length == 0) {
      return;
    }
    int[] to;
    try {
      to = other.allocate(OWNER, from.length, Placement.SCATTERED);
    } catch (PoolFullException full) {
      assertThat(other.freeBlocks()).isLessThan(from.length);
      return;
    }
    boolean givenUp = random.nextInt(4) == 0;
    BlockTransfer transfer = new BlockTransfer(pool, other, random.nextBoolean());
    boolean complete = false;
    Arrays.stream(from).forEach(pool::pin);
    Arrays.stream(to).forEach(other::pin);
    try {
      do {
        insist(() -> transfer.run(from, to, givenUp ? 64 : 128));
        insist(() -> pool.movement().compact(0, 640));
      } while (!givenUp && transfer.copied() < from.length);
      complete = transfer.copied() == from.length;
    } finally {
      Arrays.stream(from).forEach(pool::unpin);
      Arrays.stream(to).forEach(other::unpin);
      if (!complete) {
        other.free(to);
      }
    }
    for (int i = 0; complete && i < to.length; i++) {
      model.add(new Reference(other, to[i], sources.get(i).pattern));
    }
  }

  private void fill(Reference reference) {
    insist(() -> Pools.fill(reference.pool, reference.block, reference.pattern));
  }

  private void verify(Reference reference) {
    insist(() -> Pools.verify(reference.pool, reference.block, reference.pattern));
  }

  /** Makes a call until the device does it. */
  private void insist(Runnable call) {
    for (int tries = 1; ; tries++) {
      try {
        call.run();
        return;
      } catch (DeviceException failed) {
        if (failed.deviceLost() || tries == MOST_TRIES) {
          throw failed;
        }
        failures++;
      }
    }
  }
}
