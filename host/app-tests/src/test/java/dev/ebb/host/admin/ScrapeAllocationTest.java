package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The bytes that a scrape allocates in the whole process. */
@Isolated
class ScrapeAllocationTest {

  /** On a virtual thread, the JDK's writer would allocate 20 MB. */
  @Test
  void aScrapeDoesNotAllocateItsTextAgainForEachWord(@TempDir Path home) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (AdminProcess process = AdminProcess.start(home, "")) {
      process.get("/metrics");
      long before = threads.getTotalThreadAllocatedBytes();
      for (int i = 0; i < 10; i++) {
        process.get("/metrics");
      }
      assertThat((threads.getTotalThreadAllocatedBytes() - before) / 10).isLessThan(8L << 20);
    }
  }
}
