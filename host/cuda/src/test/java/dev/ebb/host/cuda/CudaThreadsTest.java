package dev.ebb.host.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CudaThreadsTest {

  private static final int CALLERS = 200;
  private static final int EACH = 10_000;

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(1, 64 << 20);
  }

  @Test
  void virtualThreadsUseTheDeviceThoughContextsBelongToPlatformThreads() throws Exception {
    TestDriver.runOnWorker();
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve((long) CALLERS * EACH);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> results = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int caller = i;
        results.add(callers.submit(() -> writesAndReadsItsOwn(slab, caller)));
      }
      for (Future<Boolean> result : results) {
        assertThat(result.get()).isTrue();
      }
    }
  }

  private static boolean writesAndReadsItsOwn(CudaSlab slab, int caller) {
    byte[] bytes = new byte[EACH];
    new Random(caller).nextBytes(bytes);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment source = confined.allocate(EACH);
      source.copyFrom(MemorySegment.ofArray(bytes));
      slab.write((long) caller * EACH, source);
      MemorySegment target = confined.allocate(EACH);
      slab.read((long) caller * EACH, target);
      return target.mismatch(source) == -1;
    }
  }

  @Test
  void anInterruptedCallerWaitsForItsBytesAndStaysInterrupted() {
    try (CudaDevice device = CudaDevice.open(0);
        CudaSlab slab = device.reserve(100)) {
      Thread.currentThread().interrupt();
      slab.write(0, MemorySegment.ofArray(new byte[] {7}));
      assertThat(Thread.interrupted()).isTrue();
      assertThat(CudaSlabTest.read(slab, 0, 1)).containsExactly(7);
    }
  }
}
