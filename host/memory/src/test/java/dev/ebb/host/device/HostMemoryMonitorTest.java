package dev.ebb.host.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMemoryMonitorTest {

  @TempDir private Path root;

  @Test
  void withoutLimitsTheMachineCounts() throws IOException {
    write("proc/meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  600 kB\n");
    write("proc/self/cgroup", "0::/app\n");
    write("sys/fs/cgroup/app/memory.max", "max\n");

    HostMemoryMonitor monitor = new HostMemoryMonitor(root);

    assertThat(monitor.totalBytes()).isEqualTo(1000 << 10);
    assertThat(monitor.availableBytes()).isEqualTo(600 << 10);
    assertThat(monitor.describe())
        .isEqualTo(
            "600 KiB of 1000 KiB available, limited by the machine's memory (/proc/meminfo)");
  }

  @Test
  void aTighterGroupAboveCounts() throws IOException {
    write("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:  600 kB\n");
    write("proc/self/cgroup", "0::/outer/inner\n");
    write("sys/fs/cgroup/outer/memory.max", "409600\n");
    write("sys/fs/cgroup/outer/memory.current", "204800\n");
    write("sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 102400\n");
    write("sys/fs/cgroup/outer/inner/memory.max", "max\n");

    HostMemoryMonitor monitor = new HostMemoryMonitor(root);

    assertThat(monitor.totalBytes()).isEqualTo(409600);
    assertThat(monitor.availableBytes()).isEqualTo(409600 - 102400);
    assertThat(monitor.describe()).endsWith("limited by the control group's memory.max");
  }

  @Test
  void versionOneGroupsCountToo() throws IOException {
    write("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:  600 kB\n");
    write("proc/self/cgroup", "3:cpu:/x\n2:memory:/job\n");
    write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "100000\n");
    write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "150000\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");

    HostMemoryMonitor monitor = new HostMemoryMonitor(root);

    assertThat(monitor.totalBytes()).isEqualTo(100000);
    assertThat(monitor.availableBytes()).isZero();
  }

  @Test
  void withoutAnyFileTheVirtualMachineIsAsked() {
    assertThat(new HostMemoryMonitor(root).totalBytes()).isPositive();
    assertThat(new HostMemoryMonitor().availableBytes()).isPositive();
  }

  private void write(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
