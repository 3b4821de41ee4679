package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.TokenGather;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CudaSlabTest {

  private static final int BYTES = 12 << 20;

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(1, 64 << 20);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void whatWasWrittenIsRead(long seed) {
    if (seed % 2 == 0) {
      TestDriver.runOnWorker();
    }
    Random random = new Random(seed);
    byte[] expected = new byte[BYTES];
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(BYTES);
        PinnedBuffer pinned = device.pin(BYTES);
        Arena arena = Arena.ofConfined()) {
      slab.write(0, MemorySegment.ofArray(expected));
      for (int i = 0; i < 12; i++) {
        int length = random.nextInt(i % 3 == 0 ? 100 : BYTES);
        int offset = random.nextInt(BYTES - length + 1);
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, expected, offset, length);
        MemorySegment source =
            switch (i % 3) {
              case 0 -> MemorySegment.ofArray(bytes);
              case 1 -> arena.allocate(Math.max(1, length)).asSlice(0, length);
              default -> pinned.segment().asSlice(0, length);
            };
        MemorySegment.copy(bytes, 0, source, ValueLayout.JAVA_BYTE, 0, length);
        slab.write(offset, source);
      }
      assertThat(read(slab, 0, BYTES)).isEqualTo(expected);
      slab.read(17, pinned.segment().asSlice(0, BYTES - 17));
      assertThat(pinned.segment().asSlice(0, BYTES - 17))
          .matches(
              got -> got.mismatch(MemorySegment.ofArray(expected).asSlice(17)) == -1, "same bytes");
    }
    assertThat(TestDriver.pageableCopies()).isZero();
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.livePinned()).isZero();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void blocksAreCopiedWhereTheMovesSay(long seed) {
    Random random = new Random(seed);
    int blockBytes = new int[] {4096, 1000, 77}[(int) (seed % 3)];
    int blocks = 500;
    byte[] expected = new byte[blocks * blockBytes];
    random.nextBytes(expected);
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(expected.length)) {
      slab.write(0, MemorySegment.ofArray(expected));
      BlockMoves moves = new BlockMoves(4);
      for (int block = 0; block + 1 < blocks; block += 2) {
        if (random.nextBoolean()) {
          moves.add(block, block + 1);
          System.arraycopy(
              expected, block * blockBytes, expected, (block + 1) * blockBytes, blockBytes);
        }
      }
      slab.copyBlocks(moves, blockBytes);
      assertThat(read(slab, 0, expected.length)).isEqualTo(expected);
    }
  }

  @Test
  void moreMovesThanOneLaunchTakesAreAllDone() {
    int blocks = 140_000;
    byte[] expected = new byte[blocks * 16];
    new Random(5).nextBytes(expected);
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(expected.length)) {
      slab.write(0, MemorySegment.ofArray(expected));
      BlockMoves moves = new BlockMoves(blocks / 2);
      for (int block = 0; block < blocks / 2; block++) {
        moves.add(block, blocks / 2 + block);
      }
      System.arraycopy(expected, 0, expected, expected.length / 2, expected.length / 2);
      slab.copyBlocks(moves, 16);
      assertThat(read(slab, 0, expected.length)).isEqualTo(expected);
      assertThat(TestDriver.calls("cuLaunchKernel")).isEqualTo(2);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void keptTokensArePackedToTheFront(long seed) {
    Gathering gathering = new Gathering(new Random(seed));
    byte[] before = gathering.slab();
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(before.length)) {
      slab.write(0, MemorySegment.ofArray(before));
      slab.gatherTokens(gathering.gather());
      gathering.check(before, read(slab, 0, before.length));
    }
  }

  @Test
  void whatDoesNotLieWithinTheSlabIsRefused() {
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(1000)) {
      assertThatThrownBy(() -> read(slab, 1, 1000)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> slab.write(-1, MemorySegment.ofArray(new byte[1])))
          .isInstanceOf(IndexOutOfBoundsException.class);
      BlockMoves moves = new BlockMoves(1);
      moves.add(0, 10);
      assertThatThrownBy(() -> slab.copyBlocks(moves, 100))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("'10'");
      TokenGather gather = new TokenGather(new int[] {3}, 1, 16, 10, 1, new int[][] {{2}});
      assertThatThrownBy(() -> slab.gatherTokens(gather))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("'3'");
      assertThat(device.lost()).isFalse();
    }
  }

  @Test
  void aClosedSlabRefusesAndGivesItsMemoryBack() {
    try (CudaDevice device = CudaDevice.open(0)) {
      long before = device.memory().availableBytes();
      CudaSlab slab = device.reserve(8 << 20);
      assertThat(before - device.memory().availableBytes()).isEqualTo(8 << 20);
      slab.close();
      slab.close();
      assertThat(device.memory().availableBytes()).isEqualTo(before);
      assertThatThrownBy(() -> read(slab, 0, 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
  }

  @Test
  void closingADeviceClosesItsSlabs() {
    CudaDevice device = CudaDevice.open(0);
    CudaSlab slab = device.reserve(1000);
    device.close();
    device.close();
    assertThatThrownBy(() -> read(slab, 0, 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> device.reserve(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'cuda:0' is closed");
    assertThat(TestDriver.liveBytes(0)).isZero();
  }

  static byte[] read(CudaSlab slab, long offset, int bytes) {
    byte[] got = new byte[bytes];
    slab.read(offset, MemorySegment.ofArray(got));
    return got;
  }
}
