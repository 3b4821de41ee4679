package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ebb.host.device.HostDevice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MigrationTest {

  private static final BlockOwner CHAT = new BlockOwner("chat");

  private final HostDevice device = new HostDevice();
  private final KvPool source = Pools.of(device, 10);
  private final KvPool target = Pools.of(device, 6);
  private final int[] blocks = source.allocate(CHAT, 4, Placement.CONTIGUOUS).blocks();

  @AfterEach
  void close() {
    device.close();
  }

  private void fill() {
    for (int block : blocks) {
      Pools.fill(source, block, block);
    }
  }

  @Test
  void theSourceIsValidUntilTheTargetIsComplete() {
    fill();
    source.share(blocks[2]);
    List<Integer> heard = new ArrayList<>();
    source
        .movement()
        .onMove(moves -> {
          assertThat(moves.target()).isSameAs(target);
          for (int i = 0; i < moves.count(); i++) {
            heard.add(moves.to(i));
          }
        });
    Migration migration = source.movement().migrate(blocks, target, true);

    MigrationReport half = migration.run(2 * 64);

    assertThat(half.blocksCopied()).isEqualTo(2);
    assertThat(half.bytesCopied()).isEqualTo(128);
    assertThat(half.state()).isEqualTo(MigrationReport.State.COPYING);
    assertThat(source.info(blocks[0]).state()).isEqualTo(BlockState.MIGRATING);
    Pools.verify(source, blocks[3], blocks[3]);
    assertThatThrownBy(() -> source.writable(blocks[0], CHAT))
        .hasMessageContaining("is being migrated");
    assertThatThrownBy(migration::targets).isInstanceOf(IllegalStateException.class);

    MigrationReport whole = migration.run(Long.MAX_VALUE);

    assertThat(whole.state()).isEqualTo(MigrationReport.State.COMPLETE);
    int[] moved = migration.targets();
    assertThat(heard).containsExactly(moved[0], moved[1], moved[2], moved[3]);
    for (int i = 0; i < 4; i++) {
      Pools.verify(target, moved[i], blocks[i]);
      assertThat(target.info(moved[i]).owner()).isEqualTo("chat");
      assertThat(target.info(moved[i]).pinned()).isFalse();
    }
    assertThat(target.info(moved[2]).references()).isEqualTo(2);
    assertThat(source.freeBlocks()).isEqualTo(10);
    assertThat(source.stats().sharedBlocks()).isZero();
    assertThat(target.stats().sharedBlocks()).isEqualTo(1);
    migration.close();
    assertThat(target.freeBlocks()).isEqualTo(2);
  }

  @Test
  void aCancelledMoveLeavesTheSourceAsItWas() {
    fill();
    try (Migration migration = source.movement().migrate(blocks, target, false)) {
      migration.run(64);
    }

    assertThat(target.freeBlocks()).isEqualTo(6);
    assertThat(source.info(blocks[0]))
        .extracting(BlockInfo::state, BlockInfo::references)
        .containsExactly(BlockState.ALLOCATED, 1);
    Pools.verify(source, blocks[0], blocks[0]);
  }

  @Test
  void whatIsFreedMeanwhileDoesNotArrive() {
    Migration migration = source.movement().migrate(blocks, target, false);
    source.free(blocks[1]);

    migration.run(Long.MAX_VALUE);

    assertThat(target.freeBlocks()).isEqualTo(3);
    assertThat(source.freeBlocks()).isEqualTo(10);
    assertThat(target.held())
        .extracting(Leak::owner, Leak::blocks)
        .containsExactly(tuple("chat", 3));
  }

  @Test
  void aPinHoldsTheMoveUp() {
    Migration migration = source.movement().migrate(blocks, target, false);
    source.pin(blocks[1]);

    assertThat(migration.run(Long.MAX_VALUE).state()).isEqualTo(MigrationReport.State.COPYING);
    source.unpin(blocks[1]);
    assertThat(migration.run(Long.MAX_VALUE).state()).isEqualTo(MigrationReport.State.COMPLETE);
  }

  @Test
  void anImpossibleMoveChangesNothing() {
    assertThatThrownBy(() -> source.movement().migrate(new int[] {1, 3, 3}, target, false))
        .hasMessage(
            "block '3' is being migrated already; name it once, or wait for the other move");
    target.allocate(CHAT, 3, Placement.SCATTERED);
    assertThatThrownBy(() -> source.movement().migrate(blocks, target, false))
        .isInstanceOf(PoolFullException.class);
    assertThatThrownBy(() -> source.movement().migrate(blocks, source, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> source.movement().migrate(new int[0], target, false))
        .isInstanceOf(IllegalArgumentException.class);

    source.free(blocks);
    assertThat(source.freeBlocks()).isEqualTo(10);
  }

  @Test
  void aFailedCopyIsTakenUpAgain() {
    fill();
    FailingDevice failing = new FailingDevice("failing", device);
    KvPool flaky = Pools.of(failing, 6);
    Migration migration = source.movement().migrate(blocks, flaky, true);
    failing.corruptNext();

    assertThatThrownBy(() -> migration.run(Long.MAX_VALUE)).hasMessageContaining("with checksum");
    assertThat(migration.report().blocksCopied()).isZero();
    Pools.verify(source, blocks[0], blocks[0]);

    migration.run(Long.MAX_VALUE);
    for (int i = 0; i < 4; i++) {
      Pools.verify(flaky, migration.targets()[i], blocks[i]);
    }
  }
}
