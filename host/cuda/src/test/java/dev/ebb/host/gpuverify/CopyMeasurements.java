package dev.ebb.host.gpuverify;

import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.cuda.PinnedBuffer;
import dev.ebb.host.device.Slab;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Measures copies between host and GPU, and allocations. */
final class CopyMeasurements {

  private static final long MOST_BYTES = 1L << 30;
  private static final long ALLOCATION_BYTES = 16L << 20;

  private final CudaDevice device;
  private final GpuReport report;
  private final Timing timing;
  private final long bytes;

  CopyMeasurements(CudaDevice device, GpuReport report, Timing timing, long slabBytes) {
    this.device = device;
    this.report = report;
    this.timing = timing;
    this.bytes = Math.min(MOST_BYTES, slabBytes);
  }

  void run() {
    try (Slab slab = device.reserve(bytes)) {
      try (PinnedBuffer pinned = device.pin(bytes)) {
        both("pinned", slab, pinned.segment());
      }
      try (Arena arena = Arena.ofConfined()) {
        both("through the staging ring", slab, arena.allocate(bytes));
      }
    }
    report.time(
        "reserve and free a slab",
        timing.seconds(() -> device.reserve(ALLOCATION_BYTES).close()),
        (ALLOCATION_BYTES >> 20) + " MiB");
  }

  private void both(String way, Slab slab, MemorySegment host) {
    String size = (bytes >> 20) + " MiB";
    report.rate("host to GPU, " + way, timing.seconds(() -> slab.write(0, host)), bytes, size);
    report.rate("GPU to host, " + way, timing.seconds(() -> slab.read(0, host)), bytes, size);
  }
}
