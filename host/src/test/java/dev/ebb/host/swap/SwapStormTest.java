package dev.ebb.host.swap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.objects.PartitionSpec;
import dev.ebb.host.plugin.Unloading;
import dev.ebb.host.testing.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Policies and JARs are exchanged again and again while clients read and write values that say
 * which key and which write they belong to.
 */
class SwapStormTest {

  private static final String[] SETTLED = {"hot", "cold"};

  /** Evicts what was used least, so that two versions of one JAR differ in what they do. */
  private static final String LEAST_USED =
      """
      package acme;

      import dev.ebb.spi.*;

      public final class Hot implements BlockPolicyProvider {
        public String name() { return "hot"; }

        public BlockPolicy<?> create(PolicyContext context) {
          return new RankedBlockPolicy() {
            protected double rank(Entry entry) { return entry.accesses(); }
          };
        }
      }
      """;

  @TempDir private Path home;

  @Test
  void twoHundredExchangesUnderTraffic() throws Exception {
    storm(200, 4_000, 64);
  }

  @Test
  @Tag("stress")
  void aThousandExchangesWithAMillionEntries() throws Exception {
    storm(1_000, 1_000_000, 1);
  }

  /** Swaps while clients use so many keys of which most, but not all, find room. */
  private void storm(int swaps, int keys, int mostKib) throws Exception {
    Path folder = Configs.plugins(home);
    version(1).writeTo(folder, "acme.jar");
    long pool = Math.max(8L << 20, keys * (long) mostKib * 512 * 8 / 10);
    List<PartitionSpec> parts =
        List.of(
            new PartitionSpec(PartitionSpec.DEFAULT, null, pool),
            new PartitionSpec("tenant:ann", "ann", pool / 4));
    try (SwapBench bench = new SwapBench(home, "", parts)) {
      bench.swaps.swap("hot", SwapCause.START);
      long[] answers = new long[swaps];
      try (StormClients clients = StormClients.start(bench.store, keys, mostKib)) {
        clients.fill();
        swap(bench, folder, 10, new long[10]);
        long classes = loadedClasses();
        long files = openFiles();

        swap(bench, folder, swaps, answers);

        clients.stop();
        clients.check();
        assertThat(bench.store.stats().usedBytes())
            .isLessThanOrEqualTo(bench.store.stats().capacityBytes());
        assertThat(bench.swaps.quarantine().cases()).isEmpty();
        assertAllCollected(bench);
        assertThat(loadedClasses()).isLessThan(classes + 400);
        assertThat(openFiles()).isLessThan(files + 20);
      }
      Arrays.sort(answers);
      System.out.printf(
          "%d exchanges: until the new policy answers, median %.3f ms, p99 %.3f ms, longest %.3f ms%n",
          swaps,
          answers[swaps / 2] / 1e6,
          answers[(int) (swaps * 0.99)] / 1e6,
          answers[swaps - 1] / 1e6);
    }
  }

  /** Every second exchange is of the JAR, the others of the policy within it. */
  private static void swap(SwapBench bench, Path folder, int swaps, long[] answers) {
    Random random = new Random(3);
    for (int i = 0; i < swaps; i++) {
      if (i % 2 == 0) {
        version("1.0.1".equals(bench.swaps.inForce().version()) ? 2 : 1)
            .writeTo(folder, "acme.jar");
        assertThat(bench.reloads.reload(Set.of()).failures()).isEmpty();
      } else {
        bench.swaps.swap(SETTLED[random.nextInt(2)], SwapCause.OPERATOR);
      }
      SwapRecord last = bench.swaps.history().records().getLast();
      assertThat(last.isPublished()).as(last.failure()).isTrue();
      answers[i] = last.steps().getOrDefault(SwapStep.ANSWER, Duration.ZERO).toNanos();
    }
  }

  private static PluginJarBuilder version(int version) {
    return PluginJarBuilder.plugin("acme")
        .version("1.0." + version)
        .policy("cold")
        .provider("acme.Hot", LEAST_USED)
        .entry("version.txt", String.valueOf(version));
  }

  private static void assertAllCollected(SwapBench bench) {
    Awaiting.until(() -> {
      System.gc();
      return bench.swaps.uncollectedLoaders() == 0;
    });
    assertThat(bench.swaps.history().records())
        .extracting(SwapRecord::loader)
        .contains(Unloading.Outcome.COLLECTED)
        .doesNotContain(Unloading.Outcome.HELD);
  }

  private static long loadedClasses() {
    System.gc();
    return ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
  }

  private static long openFiles() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }
}
