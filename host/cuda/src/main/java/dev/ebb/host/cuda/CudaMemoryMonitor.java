package dev.ebb.host.cuda;

import dev.ebb.host.device.MemoryMonitor;
import java.util.Locale;
import jcuda.driver.JCudaDriver;

/** A GPU's memory as reported by the driver, including other processes' use. */
final class CudaMemoryMonitor implements MemoryMonitor {

  private final CudaContext context;
  private final String name;

  CudaMemoryMonitor(CudaContext context, String name) {
    this.context = context;
    this.name = name;
  }

  @Override
  public long totalBytes() {
    return ask().total();
  }

  @Override
  public long availableBytes() {
    return ask().available();
  }

  @Override
  public String describe() {
    MemoryInfo answer = ask();
    return String.format(
        Locale.ROOT,
        "%s of %s available on '%s'",
        gibibytes(answer.available()),
        gibibytes(answer.total()),
        name);
  }

  static String gibibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
  }

  private MemoryInfo ask() {
    return context.call(() -> {
      long[] free = new long[1];
      long[] total = new long[1];
      context.check(JCudaDriver.cuMemGetInfo(free, total), "cuMemGetInfo");
      return new MemoryInfo(free[0], total[0]);
    });
  }

  private record MemoryInfo(long available, long total) {}
}
