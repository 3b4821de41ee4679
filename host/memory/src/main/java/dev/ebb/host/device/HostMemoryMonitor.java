package dev.ebb.host.device;

import com.sun.management.OperatingSystemMXBean;
import dev.ebb.host.files.SystemFiles;
import dev.ebb.host.units.ByteSize;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Monitors the machine's memory and the limit of every control group of this process; the smallest
 * counts.
 */
final class HostMemoryMonitor implements MemoryMonitor {

  record MemoryLimit(long total, long available, String name) {}

  private final Path root;

  HostMemoryMonitor() {
    this(Path.of("/"));
  }

  /** Creates a monitor that reads the system's files below a folder. */
  HostMemoryMonitor(Path root) {
    this.root = root;
  }

  @Override
  public long totalBytes() {
    return tightest(Comparator.comparingLong(MemoryLimit::total)).total();
  }

  @Override
  public long availableBytes() {
    return tightest(Comparator.comparingLong(MemoryLimit::available)).available();
  }

  @Override
  public String describe() {
    MemoryLimit tightest = tightest(Comparator.comparingLong(MemoryLimit::available));
    return "%s of %s available, limited by %s"
        .formatted(
            ByteSize.format(tightest.available()),
            ByteSize.format(tightest.total()),
            tightest.name());
  }

  private MemoryLimit tightest(Comparator<MemoryLimit> order) {
    Optional<MemoryLimit> machine = meminfo();
    List<MemoryLimit> groups = ControlGroups.limits(root);
    return Stream.concat(Stream.of(machine.orElseGet(HostMemoryMonitor::portable)), groups.stream())
        .min(order)
        .orElseThrow();
  }

  private Optional<MemoryLimit> meminfo() {
    Map<String, Long> kibibytes = SystemFiles.table(root.resolve("proc/meminfo"));
    Long total = kibibytes.get("MemTotal:");
    Long available = kibibytes.get("MemAvailable:");
    return total == null || available == null
        ? Optional.empty()
        : Optional.of(
            new MemoryLimit(total << 10, available << 10, "the machine's memory (/proc/meminfo)"));
  }

  /** Returns the figures of the JVM, for systems without such files. */
  private static MemoryLimit portable() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new MemoryLimit(
        system.getTotalMemorySize(), system.getFreeMemorySize(), "the machine's memory");
  }
}
