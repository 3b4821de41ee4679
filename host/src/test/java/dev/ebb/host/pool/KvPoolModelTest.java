package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.HostDevice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories over two pools against a naive account: each holder remembers its block's number
 * and content, as a block table does, and nothing else.
 */
class KvPoolModelTest {

  private static final int STEPS = 250_000;
  private static final BlockOwner OWNER = new BlockOwner("model");

  /** One reference to a block. */
  private static final class Reference {
    KvPool pool;
    int block;
    long pattern;
    int pins;

    Reference(KvPool pool, int block, long pattern) {
      this.pool = pool;
      this.block = block;
      this.pattern = pattern;
    }
  }

  private record Place(KvPool pool, int block) {}

  private final List<Reference> held = new ArrayList<>();
  private long patterns;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void noBlockIsLostDoubledOrLeaked(long seed) {
    Random random = new Random(seed);
    try (HostDevice device = new HostDevice()) {
      KvPool[] pools = {Pools.of(device, 150), Pools.of(device, 90)};
      for (KvPool pool : pools) {
        pool.onMove(moves -> follow(pool, moves));
      }
      for (int step = 0; step < STEPS; step++) {
        KvPool pool = pools[random.nextInt(2)];
        step(pool, pools[pool == pools[0] ? 1 : 0], random);
        if (step % 1000 == 0) {
          check(pools, seed, step);
        }
      }
      check(pools, seed, STEPS);
      for (Reference reference : held) {
        for (; reference.pins > 0; reference.pins--) {
          reference.pool.unpin(reference.block);
        }
        reference.pool.free(reference.block);
      }
      for (KvPool pool : pools) {
        assertThat(pool.held()).isEmpty();
        assertThat(pool.stats())
            .isEqualTo(new PoolStats(pool.blocks(), pool.blocks(), 0, 0, 64, 0, pool.blocks()));
      }
    }
  }

  private void step(KvPool pool, KvPool other, Random random) {
    switch (random.nextInt(16)) {
      case 0, 1 -> allocate(pool, Placement.CONTIGUOUS, 1 + random.nextInt(12));
      case 2 -> allocate(pool, Placement.SCATTERED, 1 + random.nextInt(6));
      case 3, 4 -> share(random);
      case 5, 6 -> write(random);
      case 7, 8, 9, 10, 11, 12 -> free(random);
      case 13 -> pinOrUnpin(random);
      case 14 -> compact(pool, random);
      default -> migrate(pool, other, random);
    }
  }

  private void allocate(KvPool pool, Placement placement, int count) {
    try {
      int[] blocks = pool.allocate(OWNER, count, placement).blocks();
      for (int block : blocks) {
        Reference reference = new Reference(pool, block, patterns++);
        Pools.fill(pool, block, reference.pattern);
        held.add(reference);
      }
    } catch (PoolFullException full) {
      int free = pool.freeBlocks();
      assertThat(full.compactionHelps()).isEqualTo(free >= count);
      assertThat(placement == Placement.CONTIGUOUS || free < count).isTrue();
      assertThat(pool.stats().largestFreeRun()).isLessThan(count);
    }
  }

  private void share(Random random) {
    if (!held.isEmpty()) {
      Reference shared = any(random);
      shared.pool.share(shared.block);
      held.add(new Reference(shared.pool, shared.block, shared.pattern));
    }
  }

  private void write(Random random) {
    if (held.isEmpty()) {
      return;
    }
    Reference writer = any(random);
    if (writer.pins > 0) {
      return;
    }
    try {
      writer.block = writer.pool.writable(writer.block, OWNER);
    } catch (PoolFullException full) {
      assertThat(writer.pool.freeBlocks()).isZero();
      return;
    }
    Pools.verify(writer.pool, writer.block, writer.pattern);
    writer.pattern = patterns++;
    Pools.fill(writer.pool, writer.block, writer.pattern);
  }

  private void free(Random random) {
    if (held.isEmpty()) {
      return;
    }
    int index = random.nextInt(held.size());
    Reference freed = held.get(index);
    long others =
        held.stream()
            .filter(other -> other.pool == freed.pool && other.block == freed.block)
            .count();
    if (freed.pins > 0) {
      if (others == 1) {
        assertThatThrownBy(() -> freed.pool.free(freed.block))
            .isInstanceOf(BlockMisuseException.class);
      }
      return;
    }
    if (others == 1 && freed.pool.info(freed.block).pinned()) {
      throw new AssertionError("a pin without a holder");
    }
    freed.pool.free(freed.block);
    held.set(index, held.getLast());
    held.removeLast();
  }

  private void pinOrUnpin(Random random) {
    if (held.isEmpty()) {
      return;
    }
    Reference reference = any(random);
    if (reference.pins > 0) {
      reference.pool.unpin(reference.block);
      reference.pins--;
    } else if (random.nextInt(4) == 0) {
      reference.pool.pin(reference.block);
      reference.pins++;
    }
  }

  private static void compact(KvPool pool, Random random) {
    if (random.nextBoolean()) {
      pool.compact(random.nextDouble(), 64L * random.nextInt(60));
    } else {
      pool.makeRun(1 + random.nextInt(20));
    }
  }

  private void migrate(KvPool pool, KvPool other, Random random) {
    int[] blocks =
        held.stream()
            .filter(reference -> reference.pool == pool && !pool.info(reference.block).pinned())
            .mapToInt(reference -> reference.block)
            .distinct()
            .limit(1 + random.nextInt(5))
            .toArray();
    if (blocks.length == 0) {
      return;
    }
    try (Migration migration = pool.migrate(blocks, other, random.nextBoolean())) {
      if (random.nextInt(4) == 0) {
        migration.run(64);
      } else {
        while (migration.run(128).state() != MigrationReport.State.COMPLETE) {
          pool.compact(0, 640);
        }
      }
    } catch (PoolFullException full) {
      assertThat(other.freeBlocks()).isLessThan(blocks.length);
    }
  }

  private void follow(KvPool pool, BlockRelocation moves) {
    Map<Integer, Integer> numbers = new HashMap<>();
    for (int i = 0; i < moves.count(); i++) {
      numbers.put(moves.from(i), moves.to(i));
    }
    List<Reference> moved =
        held.stream()
            .filter(reference -> reference.pool == pool && numbers.containsKey(reference.block))
            .toList();
    for (Reference reference : moved) {
      assertThat(reference.pins).isZero();
      reference.block = numbers.getOrDefault(reference.block, -1);
      reference.pool = moves.target();
    }
  }

  private void check(KvPool[] pools, long seed, int step) {
    Map<Place, Integer> references = new HashMap<>();
    Map<Place, Integer> pins = new HashMap<>();
    for (Reference reference : held) {
      Place place = new Place(reference.pool, reference.block);
      references.merge(place, 1, Integer::sum);
      pins.merge(place, reference.pins, Integer::sum);
      Pools.verify(reference.pool, reference.block, reference.pattern);
    }
    for (KvPool pool : pools) {
      int free = 0;
      for (int block = 0; block < pool.blocks(); block++) {
        Place place = new Place(pool, block);
        BlockInfo info = pool.info(block);
        if (info.references() != references.getOrDefault(place, 0)
            || info.pins() != pins.getOrDefault(place, 0)) {
          throw new AssertionError("seed %d, step %d: %s".formatted(seed, step, info));
        }
        free += info.references() == 0 ? 1 : 0;
      }
      assertThat(pool.freeBlocks()).isEqualTo(free);
    }
  }

  private Reference any(Random random) {
    return held.get(random.nextInt(held.size()));
  }
}
