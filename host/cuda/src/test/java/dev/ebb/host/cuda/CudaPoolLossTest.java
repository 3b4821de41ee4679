package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.BlockTransfer;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.pool.PoolModel;
import dev.ebb.host.pool.Pools;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is left of pools when the card of one of them is lost in the middle of it all. */
class CudaPoolLossTest {

  private static final BlockOwner CHAT = new BlockOwner("chat");

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(2, 64 << 20);
  }

  @ParameterizedTest(name = "{0} ends with {1}, seed {2}")
  @CsvSource({
    "copy, 700, 1",
    "copy, 719, 2",
    "ebb_copy_blocks, 700, 3",
    "ebb_copy_blocks, 719, 4",
    "record, 719, 5",
    "cuStreamSynchronize, 46, 6",
    "cuMemcpyHtoDAsync_v2, 46, 7"
  })
  void theHostsBlocksAreWholeAndItsPoolGoesOn(String work, int code, long seed) {
    CudaDevice card = CudaDevice.open(0);
    try (HostDevice host = new HostDevice()) {
      KvPool lost = Pools.of(card, 150);
      KvPool kept = Pools.of(host, 90);
      KvPool idle = holdingOne(card);
      PoolModel model = new PoolModel(seed, lost, kept, random -> {});
      assertThat(model.run(1_500 + 37 * (int) seed)).isTrue();

      TestDriver.fail(work, 1 + (int) seed % 3, code);
      assertThat(model.run(10_000)).as("seed %d: the card is lost", seed).isFalse();

      assertThat(card.lost()).isTrue();
      model.check(pool -> pool == kept);
      model.freeAll();
      refusesAll(idle, kept);
      PoolModel next = new PoolModel(seed, kept, Pools.of(host, 50), random -> {});
      assertThat(next.run(5_000)).isTrue();
      next.freeAll();
      lost.close();
    }
    card.close();
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.livePinned()).isZero();
  }

  @Test
  void anotherCardsBlocksStayOutOfTheLostOne() {
    CudaDevice gone = CudaDevice.open(0);
    try (Device other = CudaDevice.open(1)) {
      KvPool lost = Pools.of(gone, 150);
      KvPool kept = Pools.of(other, 90);
      KvPool idle = holdingOne(gone);
      PoolModel model = new PoolModel(8, lost, kept, random -> {});
      assertThat(model.run(2_000)).isTrue();
      TestDriver.loseDevice(0, 46);
      assertThatThrownBy(() -> gone.memory().availableBytes()).isInstanceOf(DeviceException.class);

      assertThat(model.run(1_000)).isFalse();

      model.check(pool -> pool == kept);
      model.freeAll();
      refusesAll(idle, kept);
    }
    gone.close();
  }

  private static KvPool holdingOne(CudaDevice card) {
    KvPool pool = Pools.of(card, 4);
    pool.allocate(CHAT, 1, Placement.SCATTERED);
    return pool;
  }

  /** Each call that needs the card's memory says so and changes nothing. */
  private static void refusesAll(KvPool lost, KvPool kept) {
    int here = lost.held().getFirst().firstBlock();
    int there = kept.allocate(CHAT, 1, Placement.SCATTERED)[0];
    Pools.fill(kept, there, 1);
    lost.share(here);
    List<Runnable> calls =
        List.of(
            () -> Pools.fill(lost, here, 1),
            () -> Pools.verify(lost, here, 1),
            () -> lost.writable(here, CHAT),
            () -> lost.allocate(CHAT, 1, Placement.SCATTERED),
            () -> lost.reserve(CHAT, 1, Placement.CONTIGUOUS),
            () -> copy(lost, here, kept, there),
            () -> copy(kept, there, lost, here));
    for (Runnable call : calls) {
      DeviceException refusal = catchThrowableOfType(DeviceException.class, call::run);
      assertThat(refusal).hasMessageContaining("'cuda:0' is lost since");
      assertThat(refusal.deviceLost()).isTrue();
    }
    assertThat(List.of(lost.references(here), kept.references(there))).containsExactly(2, 1);
    Pools.verify(kept, there, 1);
    lost.free(here, here);
    kept.free(there);
    assertThat(List.of(lost.held(), kept.held())).containsOnly(List.of());
  }

  private static void copy(KvPool from, int block, KvPool to, int copy) {
    new BlockTransfer(from, to, false).run(new int[] {block}, new int[] {copy}, Long.MAX_VALUE);
  }
}
