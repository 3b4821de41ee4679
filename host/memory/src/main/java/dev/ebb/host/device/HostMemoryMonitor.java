package dev.ebb.host.device;

import com.sun.management.OperatingSystemMXBean;
import dev.ebb.host.units.ByteSize;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Monitors the machine's memory and the limit of every control group of this process; the smallest
 * counts.
 */
final class HostMemoryMonitor implements MemoryMonitor {

  record Account(long total, long available, String name) {}

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
    return tightest(Comparator.comparingLong(Account::total)).total();
  }

  @Override
  public long availableBytes() {
    return tightest(Comparator.comparingLong(Account::available)).available();
  }

  @Override
  public String describe() {
    Account tightest = tightest(Comparator.comparingLong(Account::available));
    return "%s of %s available, limited by %s"
        .formatted(
            ByteSize.format(tightest.available()),
            ByteSize.format(tightest.total()),
            tightest.name());
  }

  private Account tightest(Comparator<Account> order) {
    Optional<Account> machine = SystemFiles.meminfo(root.resolve("proc/meminfo"));
    List<Account> groups = ControlGroups.accounts(root);
    return Stream.concat(Stream.of(machine.orElseGet(HostMemoryMonitor::portable)), groups.stream())
        .min(order)
        .orElseThrow();
  }

  /** Returns the figures of the JVM, for systems without such files. */
  private static Account portable() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Account(
        system.getTotalMemorySize(), system.getFreeMemorySize(), "the machine's memory");
  }
}
