package dev.ebb.host.numa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.Slab;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory policies of this machine's kernel. */
class NumaPlacementTest {

  private static final NumaPlacement FIRST = NumaPlacement.preferring(List.of(0));
  private static final NumaPlacement INTERLEAVED =
      new NumaPlacement(NumaPlacement.Policy.INTERLEAVE, List.of(0));
  private static final NumaPlacement MISSING = NumaPlacement.preferring(List.of(1000));

  @BeforeEach
  void needsTheSystemCall() {
    assumeTrue(ActualPlacement.ofThread().isPresent(), "get_mempolicy is not available here");
  }

  @Test
  void slabsLieWhereTheyArePlaced() {
    try (HostDevice device = new HostDevice(FIRST);
        Slab slab = device.reserve(3 << 20)) {
      assertThat(device.topology().numaNodes()).containsExactly(0);
      assertThat(device.topology().numaPolicy()).isEqualTo("preferred");
      assertThat(placement(slab)).contains(FIRST);
    }
    try (HostDevice device = new HostDevice(INTERLEAVED);
        Slab slab = device.reserve(3 << 20)) {
      assertThat(placement(slab)).contains(INTERLEAVED);
    }
  }

  @Test
  void sharedMemoryIsPlacedBeforeItsPagesAreAllocated() {
    Path folder = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(folder), "/dev/shm is not writable");
    try (HostDevice device = HostDevice.sharedIn(folder, INTERLEAVED);
        Slab first = device.reserve(3 << 20);
        Slab second = device.reserve(5)) {
      // The mapping of the slab is another one: the file keeps the policy.
      assertThat(placement(first)).contains(INTERLEAVED);
      assertThat(placement(second)).contains(INTERLEAVED);
    }
  }

  @Test
  void memoryOfTheDefaultPolicyIsLeftAlone() {
    try (HostDevice device = new HostDevice();
        Slab slab = device.reserve(3 << 20)) {
      assertThat(placement(slab)).contains(NumaPlacement.DEFAULT);
      assertThat(device.topology().numaNodes()).isEmpty();
    }
  }

  @Test
  void whatTheSystemRefusesIsLeftAlone(@TempDir Path folder) {
    try (HostDevice device = new HostDevice(MISSING);
        Slab slab = device.reserve(3 << 20)) {
      slab.write(0, MemorySegment.ofArray(new byte[] {1, 2, 3}));
      assertThat(placement(slab)).contains(NumaPlacement.DEFAULT);
      assertThat(device.topology().numaPolicy()).isEqualTo("default");
    }
    try (HostDevice device = HostDevice.sharedIn(folder, MISSING);
        Slab slab = device.reserve(3 << 20)) {
      slab.write(0, MemorySegment.ofArray(new byte[] {1, 2, 3}));
      assertThat(device.topology().numaNodes()).isEmpty();
    }
  }

  /** As in a container whose seccomp profile does not allow the call. */
  @Test
  void whatAContainerForbidsIsLeftAlone() throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "the filter is for x86-64");
    try (HostDevice device = new HostDevice(FIRST)) {
      // A seccomp filter applies to the thread that installs it.
      FutureTask<Boolean> forbidden =
          new FutureTask<>(() -> {
            SeccompFilter.forbid(237);
            assertThat(FIRST.applyTo(MemorySegment.ofAddress(0))).isFalse();
            try (Slab slab = device.reserve(3 << 20)) {
              slab.write(0, MemorySegment.ofArray(new byte[] {1, 2, 3}));
              return placement(slab).equals(Optional.of(NumaPlacement.DEFAULT));
            }
          });
      Thread.ofPlatform().start(forbidden);
      assertThat(forbidden.get()).isTrue();
      assertThat(device.topology().numaPolicy()).isEqualTo("default");
    }
  }

  @Test
  void aThreadAllocatesWhereItIsPlaced() throws Exception {
    FutureTask<Optional<NumaPlacement>> placed =
        new FutureTask<>(() -> {
          assertThat(INTERLEAVED.applyToThread()).isTrue();
          assertThat(MISSING.applyToThread()).isFalse();
          return ActualPlacement.ofThread();
        });
    Thread.ofPlatform().start(placed);
    assertThat(placed.get()).contains(INTERLEAVED);
    assertThat(ActualPlacement.ofThread()).contains(NumaPlacement.DEFAULT);
  }

  private static Optional<NumaPlacement> placement(Slab slab) {
    MemorySegment memory = slab.segment().orElseThrow();
    memory.set(ValueLayout.JAVA_BYTE, slab.bytes() - 1, (byte) 1);
    return ActualPlacement.at(slab.address() + slab.bytes() - 1);
  }
}
