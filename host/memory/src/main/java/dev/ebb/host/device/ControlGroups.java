package dev.ebb.host.device;

import dev.ebb.host.device.HostMemoryMonitor.MemoryLimit;
import dev.ebb.host.files.SystemFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The memory limits of the control groups around this process, versions 2 and 1. */
final class ControlGroups {

  private ControlGroups() {}

  static List<MemoryLimit> limits(Path root) {
    List<MemoryLimit> limits = new ArrayList<>();
    for (String line : SystemFiles.lines(root.resolve("proc/self/cgroup"))) {
      // hierarchy:controllers:path
      String[] parts = line.split(":", 3);
      if (parts.length == 3 && parts[0].equals("0") && parts[1].isEmpty()) {
        Path mount = root.resolve("sys/fs/cgroup");
        climb(mount, parts[2], "memory.max", "memory.current", "inactive_file", limits);
      } else if (parts.length == 3 && List.of(parts[1].split(",", -1)).contains("memory")) {
        Path mount = root.resolve("sys/fs/cgroup/memory");
        climb(
            mount,
            parts[2],
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            "total_inactive_file",
            limits);
      }
    }
    return limits;
  }

  private static void climb(
      Path mount, String path, String limit, String usage, String cache, List<MemoryLimit> limits) {
    Path group = mount.resolve(path.replaceFirst("^/+", "")).normalize();
    while (group != null && group.startsWith(mount)) {
      OptionalLong most = SystemFiles.number(group.resolve(limit));
      OptionalLong used = SystemFiles.number(group.resolve(usage));
      if (most.isPresent() && used.isPresent()) {
        // The kernel drops the file cache before the limit applies.
        long reclaimable = SystemFiles.table(group.resolve("memory.stat")).getOrDefault(cache, 0L);
        long available = most.getAsLong() - Math.max(0, used.getAsLong() - reclaimable);
        limits.add(
            new MemoryLimit(
                most.getAsLong(), Math.max(0, available), "the control group's " + limit));
      }
      group = group.getParent();
    }
  }
}
