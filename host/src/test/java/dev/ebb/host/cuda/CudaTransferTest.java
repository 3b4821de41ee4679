package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CudaTransferTest {

  private static final int BYTES = 5 << 20;

  private final byte[] bytes = new byte[BYTES];

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(2, 64 << 20);
    new Random(3).nextBytes(bytes);
  }

  @Test
  void cardsThatReachEachOtherCopyByThemselves() {
    movesBetweenTwoCards();
    assertThat(TestDriver.calls("cuMemcpyPeerAsync")).isEqualTo(2);
    assertThat(TestDriver.calls("cuCtxEnablePeerAccess")).isEqualTo(2);
  }

  @Test
  void cardsThatDoNotReachEachOtherCopyThroughTheHost() {
    TestDriver.forbidPeers();
    movesBetweenTwoCards();
    assertThat(TestDriver.calls("cuMemcpyPeerAsync")).isZero();
  }

  private void movesBetweenTwoCards() {
    try (CudaDevice first = CudaDevice.open(0);
        CudaDevice second = CudaDevice.open(1);
        CudaSlab source = first.reserve(BYTES);
        CudaSlab target = second.reserve(BYTES)) {
      source.write(0, MemorySegment.ofArray(bytes));
      source.transferTo(target, 1000, 0, BYTES - 1000);
      source.transferTo(target, 0, BYTES - 1000, 1000);
      byte[] got = CudaSlabTest.read(target, 0, BYTES);
      assertThat(MemorySegment.ofArray(got).asSlice(0, BYTES - 1000))
          .matches(
              part -> part.mismatch(MemorySegment.ofArray(bytes).asSlice(1000)) == -1, "the tail");
      assertThat(MemorySegment.ofArray(got).asSlice(BYTES - 1000))
          .matches(
              part -> part.mismatch(MemorySegment.ofArray(bytes).asSlice(0, 1000)) == -1,
              "the head");
    }
  }

  @Test
  void aSlabCopiesToItself() {
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(BYTES)) {
      slab.write(0, MemorySegment.ofArray(bytes));
      slab.transferTo(slab, 0, BYTES - 100, 100);
      assertThat(CudaSlabTest.read(slab, BYTES - 100, 100))
          .isEqualTo(CudaSlabTest.read(slab, 0, 100));
      assertThatThrownBy(() -> slab.transferTo(slab, 0, BYTES - 99, 100))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
