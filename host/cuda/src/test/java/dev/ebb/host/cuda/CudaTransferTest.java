package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.Slab;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest(name = "{0} bytes, work in the background: {1}")
  @CsvSource({
    "0, false",
    "1, false",
    "4097, true",
    "2097151, false",
    "2097152, true",
    "2097153, false",
    "8388608, true",
    "8388609, false",
    "17000003, true"
  })
  void theHostAndACardCopyToEachOther(int length, boolean worker) {
    if (worker) {
      TestDriver.runOnWorker();
    }
    Random random = new Random(length);
    byte[] onHost = new byte[length + 20_001];
    byte[] onCard = new byte[length + 10_007];
    random.nextBytes(onHost);
    random.nextBytes(onCard);
    try (HostDevice host = new HostDevice();
        CudaDevice device = CudaDevice.open(0);
        Slab hosts = host.reserve(onHost.length);
        CudaSlab cards = device.reserve(onCard.length)) {
      hosts.write(0, MemorySegment.ofArray(onHost));
      cards.write(0, MemorySegment.ofArray(onCard));

      hosts.transferTo(cards, 7_777, 4_099, length);
      System.arraycopy(onHost, 7_777, onCard, 4_099, length);
      holds(cards, onCard);
      holds(hosts, onHost);

      cards.transferTo(hosts, 4_001, 19_999, length);
      System.arraycopy(onCard, 4_001, onHost, 19_999, length);
      holds(hosts, onHost);
      holds(cards, onCard);
    }
    assertThat(TestDriver.pageableCopies()).isZero();
  }

  /** The whole slab: what lies around the copied bytes must be as it was. */
  private static void holds(Slab slab, byte[] expected) {
    byte[] got = new byte[expected.length];
    slab.read(0, MemorySegment.ofArray(got));
    assertThat(Arrays.mismatch(got, expected)).as("first wrong byte").isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatDoesNotFitIsRefusedEitherWay(boolean toCard) {
    try (HostDevice host = new HostDevice();
        CudaDevice device = CudaDevice.open(0);
        Slab hosts = host.reserve(100);
        CudaSlab cards = device.reserve(100)) {
      Slab source = toCard ? hosts : cards;
      Slab target = toCard ? cards : hosts;
      hosts.write(0, MemorySegment.ofArray(new byte[100]));
      cards.write(0, MemorySegment.ofArray(new byte[100]));
      assertThatThrownBy(() -> source.transferTo(target, 1, 0, 100))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> source.transferTo(target, 0, 1, 100))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> source.transferTo(target, -1, 0, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      holds(target, new byte[100]);
    }
  }
}
