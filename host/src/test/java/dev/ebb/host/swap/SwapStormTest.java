package dev.ebb.host.swap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.objects.PartitionSpec;
import dev.ebb.host.plugin.Unloading;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Policies and JARs are exchanged again and again while clients read and write values that say
 * which key and which write they belong to.
 */
class SwapStormTest {

  private static final String[] OWN = {"hot", "cold"};
  private static final Path SHIPPED = Path.of("..", "plugins");

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
    storm(200, 4_000, 64, false);
  }

  @Test
  @Tag("stress")
  void twoHundredExchangesAmongTheShippedPolicies() throws Exception {
    storm(200, 4_000, 64, true);
  }

  @Test
  @Tag("stress")
  void aThousandExchangesWithAMillionEntries() throws Exception {
    storm(1_000, 1_000_000, 1, false);
  }

  /** Swaps while clients use so many keys of which most, but not all, find room. */
  private void storm(int swaps, int keys, int mostKib, boolean shipped) throws Exception {
    Path folder = Configs.plugins(home);
    version(1).writeTo(folder, "acme.jar");
    if (shipped) {
      copyShipped(folder);
    }
    long pool = Math.max(8L << 20, keys * (long) mostKib * 512 * 8 / 10);
    List<PartitionSpec> parts =
        List.of(
            new PartitionSpec(PartitionSpec.DEFAULT, null, pool),
            new PartitionSpec("tenant:ann", "ann", pool / 4));
    try (SwapBench bench = new SwapBench(home, "", parts)) {
      bench.swaps.swap("hot", SwapCause.START);
      Times times = new Times();
      try (StormClients clients = StormClients.start(bench.store, keys, mostKib)) {
        clients.fill();
        swap(bench, folder, 10, new Times());
        long classes = loadedClasses();
        long files = openFiles();

        swap(bench, folder, swaps, times);

        clients.stop();
        times.entries = bench.store.stats().keys();
        clients.check();
        assertThat(bench.store.stats().usedBytes())
            .isLessThanOrEqualTo(bench.store.stats().capacityBytes());
        assertThat(bench.swaps.quarantine().cases()).isEmpty();
        assertAllCollected(bench);
        assertThat(loadedClasses()).isLessThan(classes + 400);
        assertThat(openFiles()).isLessThan(files + 20);
      }
      System.out.printf("%d exchanges, %s%n", swaps, times);
    }
  }

  /** How long nobody answered: when no garbage was collected meanwhile, and when some was. */
  private static final class Times {
    private final List<Long> quiet = new ArrayList<>();
    private final List<Long> collecting = new ArrayList<>();
    private long entries;

    void add(long nanos, boolean collected) {
      (collected ? collecting : quiet).add(nanos);
    }

    @Override
    public String toString() {
      return "%d keys: until the new policy answers: %s; those while garbage was collected: %s"
          .formatted(entries, text(quiet), text(collecting));
    }

    private static String text(List<Long> nanos) {
      long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
      return sorted.length == 0
          ? "none"
          : "%d, median %.3f ms, p99 %.3f ms, longest %.3f ms"
              .formatted(
                  sorted.length,
                  sorted[sorted.length / 2] / 1e6,
                  sorted[(int) (sorted.length * 0.99)] / 1e6,
                  sorted[sorted.length - 1] / 1e6);
    }
  }

  /** The policies that come with Ebb, if they are built. */
  private static void copyShipped(Path folder) throws IOException {
    try (Stream<Path> jars = Files.list(SHIPPED)) {
      for (Path jar : jars.filter(file -> file.toString().endsWith(".jar")).toList()) {
        Path copy = Files.copy(jar, folder.resolve(jar.getFileName()));
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
      }
    }
  }

  /** Every second exchange is of the JAR, the others of the policy, whatever JAR it is of. */
  private static void swap(SwapBench bench, Path folder, int swaps, Times times) {
    Random random = new Random(3);
    List<String> policies = bench.host.policies().names();
    for (int i = 0; i < swaps; i++) {
      long before = collections();
      if (i % 2 == 0) {
        bench.swaps.ensure(OWN[random.nextInt(2)], SwapCause.OPERATOR);
        version("1.0.1".equals(bench.swaps.inForce().version()) ? 2 : 1)
            .writeTo(folder, "acme.jar");
        assertThat(bench.reloads.reload(Set.of()).failures()).isEmpty();
      } else {
        bench.swaps.swap(policies.get(random.nextInt(policies.size())), SwapCause.OPERATOR);
      }
      SwapRecord last = bench.swaps.history().records().getLast();
      assertThat(last.isPublished()).as(last.failure()).isTrue();
      times.add(
          last.steps().getOrDefault(SwapStep.ANSWER, Duration.ZERO).toNanos(),
          collections() > before);
    }
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
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
