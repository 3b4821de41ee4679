package dev.ebb.host.gpuverify;

import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.device.Slab;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;

/** Measures copies from one GPU to another, if possible. */
final class PeerCopies {

  private static final int CHECKED_BYTES = 5 << 20;

  private final CudaDevice device;
  private final int peer;
  private final GpuReport report;

  PeerCopies(CudaDevice device, int peer, GpuReport report) {
    this.device = device;
    this.peer = peer;
    this.report = report;
  }

  void check() {
    byte[] expected = new byte[CHECKED_BYTES];
    new Random(2).nextBytes(expected);
    byte[] got = new byte[CHECKED_BYTES];
    try (CudaDevice other = CudaDevice.open(peer);
        Slab source = device.reserve(CHECKED_BYTES);
        Slab target = other.reserve(CHECKED_BYTES)) {
      source.write(0, MemorySegment.ofArray(expected));
      source.transferTo(target, 0, 0, CHECKED_BYTES);
      target.read(0, MemorySegment.ofArray(got));
    }
    report.exact("GPU to GPU", Arrays.equals(expected, got) ? 0 : 1);
  }

  void measure(Timing timing, long bytes) {
    try (CudaDevice other = CudaDevice.open(peer);
        Slab source = device.reserve(bytes);
        Slab target = other.reserve(bytes)) {
      report.rate(
          "GPU to GPU",
          timing.seconds(() -> source.transferTo(target, 0, 0, bytes)),
          bytes,
          device.name() + " to " + other.name());
    }
  }
}
