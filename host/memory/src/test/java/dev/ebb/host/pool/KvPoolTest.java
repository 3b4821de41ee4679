package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.testing.Awaiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KvPoolTest {

  private static final BlockOwner CHAT = new BlockOwner("chat");
  private static final BlockOwner AGENT = new BlockOwner("agent");

  private final HostDevice device = new HostDevice();
  private final KvPool pool = Pools.of(device, 100);

  @AfterEach
  void close() {
    pool.close();
    device.close();
  }

  @Test
  void blocksAreAllocatedSharedAndFreed() {
    int[] run = pool.allocate(CHAT, 10, Placement.CONTIGUOUS);
    int block = run[3];
    pool.share(block);

    assertThat(run).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(pool.stats()).isEqualTo(new PoolStats(100, 90, 0, 1, 64, 0, 90));
    assertThat(pool.info(block).references()).isEqualTo(2);
    assertThat(pool.info(block).owner()).isEqualTo("chat");
    assertThat(pool.info(block).device()).isEqualTo("host");
    assertThat(pool.info(block).lastAccess()).isGreaterThan(pool.info(9).lastAccess());

    pool.free(run);

    assertThat(pool.freeBlocks()).isEqualTo(99);
    pool.free(block);
    assertThat(pool.info(block).references()).isZero();
    assertThat(pool.held()).isEmpty();
  }

  @Test
  void misuseIsReportedWithTheOwner() {
    int block = pool.allocate(CHAT, 1, Placement.SCATTERED)[0];
    pool.free(block);

    assertThatThrownBy(() -> pool.free(block))
        .isInstanceOf(BlockMisuseException.class)
        .hasMessageContaining("block '0' cannot be freed")
        .hasMessageContaining("'chat'");
    assertThatThrownBy(() -> pool.free(100))
        .hasMessageContaining("block '100'")
        .hasMessageContaining("0 to 99");
    assertThatThrownBy(() -> pool.share(7)).hasMessageContaining("block '7' cannot be shared");
    assertThatThrownBy(() -> pool.info(-1)).isInstanceOf(BlockMisuseException.class);
  }

  @Test
  void aBlockHasABoundedNumberOfPins() {
    int block = pool.allocate(CHAT, 1, Placement.SCATTERED)[0];
    for (int i = 0; i < Short.MAX_VALUE; i++) {
      pool.pin(block);
    }
    assertThatThrownBy(() -> pool.pin(block))
        .isInstanceOf(BlockMisuseException.class)
        .hasMessageContainingAll("block '0'", "'32767' pins");
    assertThat(pool.info(block).pins()).isEqualTo(Short.MAX_VALUE);
  }

  @Test
  void freeingManyIsAllOrNone() {
    int[] blocks = pool.allocate(CHAT, 3, Placement.CONTIGUOUS);
    pool.share(blocks[1]);

    assertThatThrownBy(() -> pool.free(blocks[0], blocks[1], blocks[1], blocks[1]))
        .isInstanceOf(BlockMisuseException.class);

    assertThat(pool.info(blocks[0]).references()).isEqualTo(1);
    assertThat(pool.info(blocks[1]).references()).isEqualTo(2);
    assertThat(pool.freeBlocks()).isEqualTo(97);
  }

  @Test
  void leaksAreReportedByOwner() {
    pool.allocate(CHAT, 3, Placement.CONTIGUOUS);
    int[] freed = pool.allocate(AGENT, 2, Placement.CONTIGUOUS);
    pool.allocate(AGENT, 4, Placement.CONTIGUOUS);
    pool.free(freed);

    assertThat(pool.held())
        .containsExactlyInAnyOrder(new Leak("chat", 3, 0), new Leak("agent", 4, 5));
  }

  @Test
  void aSharedBlockIsCopiedBeforeItIsWritten() {
    int block = pool.allocate(CHAT, 1, Placement.SCATTERED)[0];
    Pools.fill(pool, block, 5);
    assertThat(pool.writable(block, CHAT)).isEqualTo(block);
    pool.share(block);

    int copy = pool.writable(block, AGENT);
    Pools.verify(pool, copy, 5);
    Pools.fill(pool, copy, 6);

    assertThat(copy).isNotEqualTo(block);
    Pools.verify(pool, block, 5);
    assertThat(pool.info(block).references()).isEqualTo(1);
    assertThat(pool.info(copy).owner()).isEqualTo("agent");
  }

  @Test
  void aPinnedBlockStaysAllocated() {
    int block = pool.allocate(CHAT, 1, Placement.SCATTERED)[0];
    pool.pin(block);

    assertThat(pool.info(block).pinned()).isTrue();
    assertThatThrownBy(() -> pool.free(block))
        .hasMessage("block '0' of 'chat' has '1' pins and cannot be freed; unpin it first");
    pool.unpin(block);
    assertThatThrownBy(() -> pool.unpin(block)).hasMessageContaining("has no pin");
    pool.free(block);
  }

  @Test
  void aRefusalSaysWhetherCompactionHelps() {
    int[] all = pool.allocate(CHAT, 100, Placement.CONTIGUOUS);
    for (int i = 0; i < 100; i += 2) {
      pool.free(all[i]);
    }

    assertThatThrownBy(() -> pool.allocate(AGENT, 2, Placement.CONTIGUOUS))
        .isInstanceOfSatisfying(
            PoolFullException.class, full -> assertThat(full.compactionHelps()).isTrue())
        .hasMessage(
            "'agent' asked for '2' blocks on host: 50 of 100 are free, 0 pinned, the longest run"
                + " has 1; compact, or ask for scattered blocks");
    assertThat(pool.allocate(AGENT, 50, Placement.SCATTERED)).hasSize(50);
    assertThatThrownBy(() -> pool.allocate(AGENT, 1, Placement.SCATTERED))
        .isInstanceOfSatisfying(
            PoolFullException.class, full -> assertThat(full.compactionHelps()).isFalse());
  }

  @Test
  void aReservationHandsOutItsBlocksAndGivesTheRestBack() {
    int taken;
    try (Reservation reservation = pool.reserve(CHAT, 5, Placement.CONTIGUOUS)) {
      taken = reservation.take();
      reservation.take();
      assertThat(reservation.left()).isEqualTo(3);
      assertThat(pool.freeBlocks()).isEqualTo(95);
    }
    assertThat(pool.freeBlocks()).isEqualTo(98);
    pool.unpin(taken);
    pool.free(taken);
    Reservation closed = pool.reserve(CHAT, 1, Placement.SCATTERED);
    closed.close();
    closed.close();
    assertThatThrownBy(closed::take).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void compactionMovesWholeRunsAndReportsTheNewNumbers() {
    List<int[]> tables = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      tables.add(pool.allocate(CHAT, 4, Placement.CONTIGUOUS));
    }
    List<int[]> kept = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      if (i % 3 == 0) {
        kept.add(tables.get(i));
      } else {
        pool.free(tables.get(i));
      }
    }
    for (int[] table : kept) {
      for (int block : table) {
        Pools.fill(pool, block, table[0]);
      }
    }
    List<Integer> patterns = kept.stream().map(table -> table[0]).toList();
    List<Long> uses = kept.stream().map(table -> pool.info(table[1]).lastAccess()).toList();
    pool.pin(kept.get(2)[1]);
    int pinnedAt = kept.get(2)[0];
    pool.movement().onMove(moves -> follow(kept, moves));

    CompactionReport report = pool.movement().compact(0.2, 64 * 100);

    assertThat(report.blocksMoved()).isPositive();
    assertThat(report.bytesMoved()).isEqualTo(64L * report.blocksMoved());
    assertThat(report.fragmentationBefore()).isEqualTo(1);
    assertThat(report.fragmentationAfter()).isLessThan(0.5);
    assertThat(kept.get(2)[0]).isEqualTo(pinnedAt);
    assertThat(kept).extracting(table -> pool.info(table[1]).lastAccess()).isEqualTo(uses);
    for (int i = 0; i < kept.size(); i++) {
      int first = kept.get(i)[0];
      assertThat(kept.get(i)).containsExactly(first, first + 1, first + 2, first + 3);
      for (int block : kept.get(i)) {
        Pools.verify(pool, block, patterns.get(i));
      }
    }
  }

  @Test
  void aSliceKeepsToItsBudget() {
    int[] all = pool.allocate(CHAT, 100, Placement.SCATTERED);
    for (int i = 0; i < 100; i += 2) {
      pool.free(all[i]);
    }

    assertThat(pool.movement().compact(0, 64 * 15).blocksMoved()).isLessThanOrEqualTo(15);
    assertThat(pool.movement().compact(1, 64 * 100).blocksMoved()).isZero();
  }

  @Test
  void aRunIsMadeWhereLeastMustMove() {
    int[] all = pool.allocate(CHAT, 100, Placement.SCATTERED);
    for (int i = 0; i < 100; i += i < 60 ? 2 : 5) {
      pool.free(all[i]);
    }

    CompactionReport report = pool.movement().makeRun(20);

    assertThat(report.largestFreeRun()).isGreaterThanOrEqualTo(20);
    assertThat(report.blocksMoved()).isLessThanOrEqualTo(20);
    pool.allocate(AGENT, 20, Placement.CONTIGUOUS);
    assertThat(pool.movement().makeRun(90).largestFreeRun()).isLessThan(90);
  }

  @Test
  void theBackgroundCompactsByItself() {
    int[] all = pool.allocate(CHAT, 100, Placement.SCATTERED);
    for (int i = 0; i < 100; i += 2) {
      pool.free(all[i]);
    }
    try (var compaction =
        new BackgroundCompaction(
            pool, 0.5, Duration.ofMillis(1), () -> pool.movement().compact(0.5, 1))) {
      Awaiting.until(() -> pool.stats().fragmentation() <= 0.5);
      assertThat(compaction).isNotNull();
    }
    assertThat(pool.freeBlocks()).isEqualTo(50);
  }

  private static void follow(List<int[]> tables, BlockMoves moves) {
    for (int[] table : tables) {
      for (int i = 0; i < table.length; i++) {
        for (int move = 0; move < moves.count(); move++) {
          if (table[i] == moves.from(move)) {
            table[i] = moves.to(move);
            break;
          }
        }
      }
    }
  }

  @Test
  void aPoolNeedsRoomForABlock() {
    assertThatThrownBy(() -> KvPool.open(Pools.LAYOUT, device, 63))
        .isInstanceOf(DeviceException.class)
        .hasMessageStartingWith("a pool of '63 B' would have '0' blocks of 64 B");
    pool.close();
    assertThatThrownBy(() -> pool.allocate(CHAT, 1, Placement.SCATTERED))
        .hasMessage("the pool on 'host' is closed");
  }
}
