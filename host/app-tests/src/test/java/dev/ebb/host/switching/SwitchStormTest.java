package dev.ebb.host.switching;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.plugin.UnloadReport;
import dev.ebb.host.store.PartitionSpec;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Policies and JARs are switched again and again while clients read and write values that say which
 * key and which write they belong to.
 */
@Isolated("counts the classes and open files of this JVM")
class SwitchStormTest {

  private static final String[] OWN = {"hot", "cold"};

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
  void twoHundredSwitchesUnderTraffic() throws Exception {
    storm(200, 4_000, 64);
  }

  @Test
  @Tag("stress")
  void aThousandSwitchesWithAMillionKeys() throws Exception {
    storm(1_000, 1_000_000, 1);
  }

  /** Switches while clients use so many keys of which most, but not all, find room. */
  private void storm(int switches, int keys, int mostKib) throws Exception {
    Path folder = Configs.plugins(home);
    version(1).writeTo(folder, "acme.jar");
    copyShipped(folder);
    long pool = Math.max(8L << 20, keys * (long) mostKib * 512 * 8 / 10);
    List<PartitionSpec> parts =
        List.of(
            new PartitionSpec(PartitionSpec.DEFAULT, null, pool),
            new PartitionSpec("tenant:ann", "ann", pool / 4));
    try (GcPauses pauses = new GcPauses();
        StoreBench bench = new StoreBench(home, "", parts)) {
      bench.switcher.switchTo("hot", SwitchCause.START);
      try (StormClients clients = StormClients.start(bench.store, keys, mostKib)) {
        clients.fill();
        switchOften(bench, folder, 10, new Times(new ArrayList<>(), pauses));
        long classes = loadedClasses();
        long files = openFiles();

        switchOften(bench, folder, switches, new Times(new ArrayList<>(), pauses));

        clients.stop();
        clients.check();
        assertThat(bench.store.stats().usedBytes())
            .isLessThanOrEqualTo(bench.store.stats().capacityBytes());
        assertThat(bench.switcher.quarantine().cases()).isEmpty();
        assertAllCollected(bench);
        assertThat(loadedClasses()).isLessThan(classes + 400);
        assertThat(openFiles()).isLessThan(files + 20);
      }
    }
  }

  /** From when on nobody answered, and how long. */
  private record Silence(Instant from, Duration length) {

    static Silence of(SwitchRecord record) {
      return new Silence(
          requireNonNull(record.publishedAt()),
          requireNonNull(record.steps().get(SwitchStep.ANSWER)));
    }
  }

  /** How long nobody answered, when no garbage was collected just then, and when some was. */
  private record Times(List<Silence> silences, GcPauses pauses) {

    @Override
    public String toString() {
      return "until the new policy answers: %s; those while garbage was collected: %s"
          .formatted(
              text(silences.stream().filter(each -> !collected(each))),
              text(silences.stream().filter(this::collected)));
    }

    private boolean collected(Silence silence) {
      return pauses.touch(silence.from(), silence.from().plus(silence.length()));
    }

    private static String text(Stream<Silence> silences) {
      long[] sorted = silences.mapToLong(each -> each.length().toNanos()).sorted().toArray();
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

  /** The policies that come with Ebb, as far as this build has made them. */
  private static void copyShipped(Path folder) throws IOException {
    try (DirectoryStream<Path> plugins =
        Files.newDirectoryStream(Path.of("..", ".."), "plugin-*")) {
      for (Path plugin : plugins) {
        copyJars(plugin.resolve("target"), folder);
      }
    }
  }

  private static void copyJars(Path target, Path folder) throws IOException {
    if (Files.isDirectory(target)) {
      try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "ebb-plugin-*[0-9].jar")) {
        for (Path jar : jars) {
          Path copy = Files.copy(jar, folder.resolve(jar.getFileName()));
          Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
        }
      }
    }
  }

  /** Every second switch is of the JAR, the others of the policy, whatever JAR it is of. */
  private static void switchOften(StoreBench bench, Path folder, int switches, Times times) {
    Random random = new Random(3);
    List<String> policies = bench.host.policies().names();
    for (int i = 0; i < switches; i++) {
      if (i % 2 == 0) {
        bench.switcher.ensure(OWN[random.nextInt(2)], SwitchCause.OPERATOR);
        version("1.0.1".equals(bench.switcher.active().version()) ? 2 : 1)
            .writeTo(folder, "acme.jar");
        assertThat(bench.reloads.reload(Set.of()).failures()).isEmpty();
      } else {
        bench.switcher.switchTo(
            policies.get(random.nextInt(policies.size())), SwitchCause.OPERATOR);
      }
      SwitchRecord last = bench.switcher.history().records().getLast();
      assertThat(last.isPublished()).as(last.failure()).isTrue();
      Awaiting.until(() -> last.steps().containsKey(SwitchStep.ANSWER));
      times.silences().add(Silence.of(last));
      if ((i + 1) % 100 == 0) {
        System.out.printf(
            "%d of %d switches, %d keys, %s%n", i + 1, switches, bench.store.stats().keys(), times);
      }
    }
  }

  private static PluginJarBuilder version(int version) {
    return PluginJarBuilder.plugin("acme")
        .version("1.0." + version)
        .policy("cold")
        .provider("acme.Hot", LEAST_USED)
        .entry("version.txt", String.valueOf(version));
  }

  private static void assertAllCollected(StoreBench bench) {
    Awaiting.until(() -> {
      System.gc();
      return bench.switcher.uncollectedLoaders() == 0;
    });
    assertThat(bench.switcher.history().records())
        .extracting(SwitchRecord::loader)
        .contains(UnloadReport.Outcome.COLLECTED)
        .doesNotContain(UnloadReport.Outcome.HELD);
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
