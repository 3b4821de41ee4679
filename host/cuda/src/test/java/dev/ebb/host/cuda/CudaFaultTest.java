package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.DeviceException;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CudaFaultTest {

  private static final int OUT_OF_MEMORY = 2;
  private static final int LAUNCH_OUT_OF_RESOURCES = 701;

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(2, 64 << 20);
  }

  @Test
  void whatDoesNotFitIsRefusedWithWhatIsThere() {
    try (CudaDevice device = CudaDevice.open(0)) {
      DeviceException refusal =
          catchThrowableOfType(DeviceException.class, () -> device.reserve(1L << 40));
      assertThat(refusal)
          .hasMessageContaining("'1024.0 GiB'")
          .hasMessageContaining("available on 'cuda:0'")
          .hasMessageContaining("pool.size");
      assertThat(refusal.deviceLost()).isFalse();
      device.reserve(1 << 20).close();
    }
  }

  @ParameterizedTest(name = "{0}, call {1}")
  @CsvSource({
    "cuDevicePrimaryCtxRetain, 1",
    "cuStreamCreate, 1",
    "cuModuleLoadData, 1",
    "cuModuleGetFunction, 3",
    "cuMemHostAlloc, 1",
    "cuEventCreate, 2"
  })
  void aDeviceThatDoesNotOpenLeavesNothingBehind(String function, int nth) {
    TestDriver.fail(function, nth, OUT_OF_MEMORY);
    assertThatThrownBy(() -> CudaDevice.open(0))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining(function + " failed with 'CUDA_ERROR_OUT_OF_MEMORY' (2)")
        .hasMessageContaining("'cuda:0'");
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.livePinned()).isZero();
    CudaDevice.open(0).close();
  }

  @Test
  void noMemoryForAKernelsArgumentsFailsThatCallOnly() {
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(100)) {
      TestDriver.fail("cuMemHostAlloc", 1, OUT_OF_MEMORY);
      assertThatThrownBy(() -> slab.copyBlocks(oneMove(), 10))
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining("cuMemHostAlloc");
      slab.copyBlocks(oneMove(), 10);
      assertThat(device.lost()).isFalse();
    }
    assertThat(TestDriver.liveBytes(0)).isZero();
  }

  @Test
  void aLaunchThatFailsLeavesTheDeviceUsable() {
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(100)) {
      byte[] bytes = new byte[100];
      new Random(1).nextBytes(bytes);
      slab.write(0, MemorySegment.ofArray(bytes));
      TestDriver.fail("cuLaunchKernel", 1, LAUNCH_OUT_OF_RESOURCES);
      assertThatThrownBy(() -> slab.copyBlocks(oneMove(), 10))
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")
          .hasMessageContaining("can still be used");
      assertThat(CudaSlabTest.read(slab, 0, 100)).isEqualTo(bytes);
      slab.copyBlocks(oneMove(), 10);
      assertThat(CudaSlabTest.read(slab, 10, 10)).isEqualTo(CudaSlabTest.read(slab, 0, 10));
    }
  }

  @ParameterizedTest(name = "{0} ends with {1}")
  @CsvSource({"ebb_copy_blocks, 700", "ebb_copy_blocks, 719", "copy, 700", "record, 719"})
  void anErrorThatSticksEndsTheDeviceAndEveryLaterCallSaysSo(String work, int code) {
    CudaDevice other = CudaDevice.open(1);
    CudaDevice device = CudaDevice.open(0);
    CudaSlab slab = device.reserve(100);
    PinnedBuffer pinned = device.pin(100);
    TestDriver.fail(work, 1, code);
    DeviceException end =
        catchThrowableOfType(
            DeviceException.class,
            () -> {
              slab.copyBlocks(oneMove(), 10);
              slab.write(0, MemorySegment.ofArray(new byte[10]));
            });
    assertThat(end.deviceLost()).isTrue();
    assertThat(end).hasMessageContaining("(" + code + ")").hasMessageContaining("restart");

    Runnable[] laterCalls = {
      () -> CudaSlabTest.read(slab, 0, 10),
      () -> slab.read(0, pinned.segment()),
      () -> slab.write(0, MemorySegment.ofArray(new byte[10])),
      () -> slab.copyBlocks(oneMove(), 10),
      () -> slab.transferTo(slab, 0, 10, 10),
      () -> device.reserve(1),
      () -> device.pin(1),
      () -> device.memory().availableBytes()
    };
    for (Runnable call : laterCalls) {
      DeviceException refusal = catchThrowableOfType(DeviceException.class, call::run);
      assertThat(refusal.deviceLost()).isTrue();
      assertThat(refusal).hasMessageContaining("'cuda:0' is lost since");
    }
    slab.close();
    pinned.close();
    device.close();

    try (CudaSlab untouched = other.reserve(100)) {
      untouched.copyBlocks(oneMove(), 10);
    }
    other.close();
    assertThat(TestDriver.liveBytes(0)).isZero();
    assertThat(TestDriver.livePinned()).isZero();
  }

  @Test
  void aCardThatFallsOffTheBusIsLost() {
    CudaDevice device = CudaDevice.open(0);
    CudaSlab slab = device.reserve(100);
    TestDriver.loseDevice(0, 46);
    DeviceException end =
        catchThrowableOfType(DeviceException.class, () -> CudaSlabTest.read(slab, 0, 10));
    assertThat(end.deviceLost()).isTrue();
    assertThat(device.lost()).isTrue();
    device.close();
    assertThatThrownBy(() -> CudaDevice.open(0))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("cuDevicePrimaryCtxRetain");
  }

  @ParameterizedTest(name = "failing copy {0}")
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void aTransferThatBreaksOffCanBeRepeated(int nth) {
    byte[] bytes = new byte[7 * StagingRing.SLOT_BYTES - 5];
    new Random(nth).nextBytes(bytes);
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(bytes.length)) {
      TestDriver.fail("cuMemcpyHtoDAsync_v2", nth, 1);
      assertThatThrownBy(() -> slab.write(0, MemorySegment.ofArray(bytes)))
          .isInstanceOf(DeviceException.class);
      slab.write(0, MemorySegment.ofArray(bytes));
      TestDriver.fail("cuMemcpyDtoHAsync_v2", nth, 1);
      assertThatThrownBy(() -> CudaSlabTest.read(slab, 0, bytes.length))
          .isInstanceOf(DeviceException.class);
      assertThat(CudaSlabTest.read(slab, 0, bytes.length)).isEqualTo(bytes);
    }
  }

  private static BlockMoves oneMove() {
    BlockMoves moves = new BlockMoves(1);
    moves.add(0, 1);
    return moves;
  }
}
