package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.pool.SequenceReport;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.request.SequenceStateException;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.MigrationReport;
import dev.ebb.host.pool.Pools;
import dev.ebb.spi.Demand;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads with sequences of their own on two devices, while others migrate these and compact. */
class DevicesThreadsTest {

  private static final int BLOCK_TOKENS = 4;
  private static final Namespace MODEL = Namespace.of("tiny");
  private static final List<String> NAMES = List.of("cuda:0", "cuda:1");

  private final AtomicInteger completed = new AtomicInteger();

  @Test
  void noBytesAreMixedUp() throws Exception {
    hammer(300);
  }

  @Test
  @Tag("stress")
  void noBytesAreMixedUpForLong() throws Exception {
    hammer(30_000);
  }

  private void hammer(int sequences) throws Exception {
    Engine engine = new Engine();
    KvLayout layout = new KvLayout(2, 2, 4, BLOCK_TOKENS, DType.FP32);
    try (HostDevice host = new HostDevice()) {
      for (String name : NAMES) {
        KvPool pool = KvPool.open(layout, new FailingDevice(name, host), 40L * layout.blockBytes());
        BlockCache cache =
            new InlineBlockCache(40, System::nanoTime, new GhostWindow(64), OnFault.FALL_BACK);
        engine.add(pool, cache, 0.9, 0.8);
      }
      Threads.run(
          3,
          random -> {
            // At least one migration meets them.
            for (int i = 0; i < sequences || completed.get() == 0; i++) {
              serve(engine, random);
            }
          },
          List.of(over -> migrate(engine, over, new Random(1)), over -> compact(engine, over)));
      assertThat(completed.get()).isPositive();
      assertThat(engine.migrations.underWay()).isEmpty();
      for (DevicePartition partition : engine.partitions) {
        engine.locked(() ->
            partition.cache.evict(Long.MAX_VALUE, Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
        assertThat(partition.pool.held()).isEmpty();
        assertThat(partition.pool.stats().pinnedBlocks()).isZero();
      }
      assertThat(engine.close()).isTrue();
    }
  }

  private static void serve(Engine engine, Random random) {
    List<Integer> tokens = Threads.prompt(random);
    SequenceRequest request =
        SequenceRequest.of(MODEL, Threads.ints(tokens)).withPriority(random.nextInt(3));
    if (random.nextBoolean()) {
      request = request.withDevice(NAMES.get(random.nextInt(2)));
    }
    try (Sequence sequence = engine.open(request)) {
      verify(engine, sequence, tokens, sequence.matchedTokens() / BLOCK_TOKENS);
      fill(engine, sequence, tokens, sequence.matchedTokens() / BLOCK_TOKENS);
      for (int step = 0; step < 6; step++) {
        verify(engine, sequence, tokens, engine.pages(tokens.size()));
        int first = tokens.size() / BLOCK_TOKENS;
        int token = random.nextInt(50);
        sequence.append(token);
        tokens.add(token);
        fill(engine, sequence, tokens, first);
      }
      verify(engine, sequence, tokens, engine.pages(tokens.size()));
      if (random.nextInt(4) > 0) {
        sequence.finish();
      }
    } catch (OutOfBlocksException full) {
      assertThat(full.report().pool().blocks()).isEqualTo(40);
    } catch (SequenceStateException preempted) {
      assertThat(preempted.state()).isEqualTo(SequenceState.PREEMPTED);
    }
  }

  private static void fill(Engine engine, Sequence sequence, List<Integer> tokens, int first) {
    try (KvAccess access = sequence.access()) {
      KvPool pool = engine.locked(() -> sequence.home.partition.pool);
      int[] table = sequence.blockTable();
      for (int page = first; page < access.pages(); page++) {
        Pools.fill(pool, table[page], pattern(tokens, page));
      }
    }
  }

  private static void verify(Engine engine, Sequence sequence, List<Integer> tokens, int pages) {
    try (KvAccess access = sequence.reading()) {
      assertThat(access.device()).isEqualTo(sequence.device());
      KvPool pool = engine.locked(() -> sequence.home.partition.pool);
      int[] table = sequence.blockTable();
      for (int page = 0; page < pages; page++) {
        Pools.verify(pool, table[page], pattern(tokens, page));
      }
    }
  }

  private static long pattern(List<Integer> tokens, int page) {
    return tokens.subList(0, Math.min(tokens.size(), (page + 1) * BLOCK_TOKENS)).hashCode();
  }

  private void migrate(Engine engine, AtomicBoolean over, Random random) {
    while (!over.get()) {
      DevicePartition from = engine.partitions.get(random.nextInt(2));
      List<SequenceReport> open = engine.locked(() -> Inspection.report(engine, from)).sequences();
      if (open.isEmpty()) {
        continue;
      }
      long id = open.get(random.nextInt(open.size())).id();
      try (SequenceMigration migration =
          engine.migrations.start(id, NAMES.get(random.nextInt(2)), random.nextBoolean())) {
        MigrationReport report;
        int runs = 0;
        do {
          report = migration.run(2L * engine.layout().blockBytes());
        } while (report.state() == MigrationReport.State.COPYING && runs++ < 100);
        if (report.state() == MigrationReport.State.COMPLETE) {
          completed.incrementAndGet();
        }
      } catch (UserError | OutOfBlocksException | IllegalStateException notNow) {
        // It is over, there already, being opened, or there is no room.
        assertThat(notNow).hasMessageMatching("(?s).*sequence.*");
      }
    }
  }

  private static void compact(Engine engine, AtomicBoolean over) {
    while (!over.get()) {
      for (DevicePartition partition : engine.partitions) {
        partition.movement.betweenBatches(0, 4L * engine.layout().blockBytes());
        partition.movement.inBackground(0, 4L * engine.layout().blockBytes());
      }
    }
  }
}
