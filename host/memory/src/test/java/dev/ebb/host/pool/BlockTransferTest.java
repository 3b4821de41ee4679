package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.HostDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BlockTransferTest {

  private static final BlockOwner CHAT = new BlockOwner("chat");

  private final HostDevice device = new HostDevice();
  private final KvPool source = Pools.of(device, 10);
  private final int[] blocks = source.allocate(CHAT, 4, Placement.CONTIGUOUS);

  @BeforeEach
  void fill() {
    for (int block : blocks) {
      Pools.fill(source, block, block);
    }
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void blocksArriveInPieces() {
    KvPool target = Pools.of(device, 6);
    int[] to = target.allocate(CHAT, 4, Placement.SCATTERED);
    BlockTransfer transfer = new BlockTransfer(source, target, true);

    transfer.run(blocks, to, 2 * 64);
    MigrationReport half = transfer.report(4, MigrationReport.State.COPYING);

    assertThat(half.blocksCopied()).isEqualTo(2);
    assertThat(half.bytesCopied()).isEqualTo(128);

    transfer.run(blocks, to, Long.MAX_VALUE);

    assertThat(transfer.copied()).isEqualTo(4);
    for (int i = 0; i < 4; i++) {
      Pools.verify(target, to[i], blocks[i]);
      Pools.verify(source, blocks[i], blocks[i]);
    }
  }

  @Test
  void aFailedCopyIsTakenUpAgain() {
    FailingDevice failing = new FailingDevice("failing", device);
    KvPool flaky = Pools.of(failing, 6);
    int[] to = flaky.allocate(CHAT, 4, Placement.SCATTERED);
    BlockTransfer transfer = new BlockTransfer(source, flaky, true);
    failing.corruptNext();

    assertThatThrownBy(() -> transfer.run(blocks, to, Long.MAX_VALUE))
        .hasMessageContaining("with checksum");
    assertThat(transfer.copied()).isZero();
    Pools.verify(source, blocks[0], blocks[0]);

    transfer.run(blocks, to, Long.MAX_VALUE);
    for (int i = 0; i < 4; i++) {
      Pools.verify(flaky, to[i], blocks[i]);
    }
  }
}
