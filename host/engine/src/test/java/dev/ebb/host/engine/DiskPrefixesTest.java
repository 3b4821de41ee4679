package dev.ebb.host.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvBytes;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.stats.TrafficCounters;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.runtime.RuntimeConfig;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.host.testing.JavaProcess;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cached prefixes on a real disk. Each element of K and V follows from the tokens before it. */
class DiskPrefixesTest {

  private static final int REQUESTS = Histories.times(500);
  private static final Namespace MODEL = Namespace.of("tiny");

  /** A page has 4 tokens and 2 KiB. */
  private static final KvLayout LAYOUT = new KvLayout(2, 2, 16, 4, DType.FP32, 2);

  private static final int PAGE_BYTES = LAYOUT.blockBytes() * LAYOUT.laneGroups();

  @TempDir private Path home;

  @BeforeEach
  void makePlugin() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(home), "acme.jar");
  }

  private static EbbOptions options(Path home, KvLayout layout, int pages, String settings) {
    return EbbOptions.of(layout, home)
        .withSettings(
            """
            ebb.pool { device = host, size = %d B }
            ebb.eviction { policy = lru, threshold = 1, target = 1 }
            %s
            """
                .formatted((long) pages * layout.blockBytes() * layout.laneGroups(), settings));
  }

  private static String disk(Path home, int regions) {
    return """
    ebb.tiers.disk { path = "%s", size = %d B, region-size = 64 KiB }
    """
        .formatted(home.resolve("prefixes"), (regions + 1) << 16);
  }

  private Ebb start(int pages, String further) {
    return Ebb.start(options(home, LAYOUT, pages, disk(home, 32) + further));
  }

  private static int[] array(List<Integer> tokens) {
    return tokens.stream().mapToInt(token -> token).toArray();
  }

  private static List<Integer> tokens(int first, int count) {
    return IntStream.range(first, first + count).boxed().toList();
  }

  private static Sequence open(Ebb ebb, Namespace namespace, List<Integer> tokens) {
    return ebb.open(SequenceRequest.of(namespace, array(tokens)));
  }

  /** Computes a prompt like an engine; returns how many of its tokens had K and V. */
  private static int compute(Ebb ebb, Namespace namespace, List<Integer> tokens) {
    Sequence sequence = open(ebb, namespace, tokens);
    int matched = sequence.matchedTokens();
    compute(ebb.pool().layout(), sequence, namespace, tokens);
    sequence.finish();
    return matched;
  }

  private static void compute(
      KvLayout layout, Sequence sequence, Namespace namespace, List<Integer> tokens) {
    int matched = sequence.matchedTokens();
    KvBytes.check(layout, sequence, salt(namespace), tokens.subList(0, matched));
    KvBytes.write(layout, sequence, salt(namespace), tokens, matched);
  }

  private static String salt(Namespace namespace) {
    return namespace.model() + namespace.salt();
  }

  /** Evicts all pages, and waits until they are on the disk. */
  private static void evictAll(Ebb ebb, int pages) {
    var _ = ebb.view().blocks().evictTo(0);
    Awaiting.until(() -> ebb.stats().disk().disk().values() >= pages);
  }

  /** An engine's step takes longer than the copies of the pages that it evicts. */
  private static void awaitWrites(Ebb ebb) {
    DiskTierStats disk = ebb.stats().disk();
    while (disk != null && disk.heldBytes() > 0) {
      LockSupport.parkNanos(20_000);
      disk = ebb.stats().disk();
    }
  }

  /** Random conversations of two tenants, a part of which are pruned, aborted or go on. */
  private static final class Conversations {

    private final Random random = new Random(7);
    private final List<List<Integer>> known = new ArrayList<>();

    List<Integer> next() {
      boolean fresh = known.size() < 40 || random.nextInt(10) == 0;
      List<Integer> prompt =
          new ArrayList<>(fresh ? List.of() : known.get(random.nextInt(known.size())));
      int length = Math.min(160, prompt.size() + 10 + random.nextInt(30));
      while (prompt.size() < length) {
        prompt.add(random.nextInt(1_000));
      }
      if (fresh || random.nextInt(3) == 0) {
        known.add(prompt);
      }
      if (known.size() > 80) {
        known.remove(0);
      }
      return prompt;
    }

    /** Returns the share of prompt tokens that had K and V. */
    double run(Ebb ebb, int requests) {
      long prompts = 0;
      long matched = 0;
      for (int i = 0; i < requests; i++) {
        List<Integer> tokens = next();
        Namespace namespace = i % 4 == 0 ? MODEL.withSalt("other") : MODEL;
        Sequence sequence = open(ebb, namespace, tokens);
        assertThat(sequence.diskTokens()).isLessThanOrEqualTo(sequence.matchedTokens());
        prompts += tokens.size();
        matched += sequence.matchedTokens();
        compute(LAYOUT, sequence, namespace, tokens);
        end(sequence);
        awaitWrites(ebb);
      }
      return (double) matched / prompts;
    }

    private void end(Sequence sequence) {
      int kind = random.nextInt(20);
      if (kind == 0) {
        sequence.abort();
      } else if (kind == 1) {
        var _ = sequence.prunePrefix(5);
        sequence.finish();
      } else {
        sequence.finish();
      }
    }
  }

  /**
   * The hits are at least two thirds of those of a memory as large as both: the disk also has what
   * is in memory, and is reused in the order of time.
   */
  @Test
  void memoryAndDiskTogetherGiveTheHitsOfALargerMemory() {
    int memory = 200;
    int regions = 40;
    double both;
    double alone;
    double large;
    try (Ebb ebb = Ebb.start(options(home, LAYOUT, memory, disk(home, regions)))) {
      both = new Conversations().run(ebb, REQUESTS);
      TrafficCounters traffic = ebb.stats().devices().getFirst().traffic();
      assertThat(traffic.diskTokens()).isPositive();
      assertThat(traffic.hitRatio()).isEqualTo(both);
      assertThat(ebb.stats().disk().hits() * LAYOUT.blockTokens()).isEqualTo(traffic.diskTokens());
      assertThat(ebb.stats().disk().disk().reusedRegions()).isPositive();
      assertThat(ebb.stats().disk().disk().damagedRecords()).isZero();
    }
    try (Ebb ebb = Ebb.start(options(home, LAYOUT, memory, ""))) {
      alone = new Conversations().run(ebb, REQUESTS);
    }
    int disk = regions * (1 << 16) / (PAGE_BYTES + 128);
    try (Ebb ebb = Ebb.start(options(home, LAYOUT, memory + disk, ""))) {
      large = new Conversations().run(ebb, REQUESTS);
    }
    assertThat(alone).isLessThan(0.4 * large);
    assertThat(both).isBetween(0.65 * large, 1.05 * large);
  }

  @ParameterizedTest
  @CsvSource({"save, 25", "drop, 0"})
  void aRestartFindsThePrefixesThatWereSaved(String onStop, int pages) {
    String stop = "ebb.tiers.disk.on-stop = " + onStop;
    List<Integer> prompt = tokens(0, 101);
    try (Ebb ebb = start(64, stop)) {
      assertThat(compute(ebb, MODEL, prompt)).isZero();
    }
    try (Ebb ebb = start(64, stop)) {
      Sequence sequence = open(ebb, MODEL, prompt);
      assertThat(sequence.matchedTokens()).isEqualTo(4 * pages);
      assertThat(sequence.diskTokens()).isEqualTo(4 * pages);
      compute(LAYOUT, sequence, MODEL, prompt);
      // They are cached again before the sequence ends.
      try (Sequence other = open(ebb, MODEL, prompt)) {
        assertThat(other.matchedTokens()).isEqualTo(4 * pages);
        assertThat(other.diskTokens()).isZero();
      }
      sequence.finish();
      assertThat(ebb.stats().disk().hits()).isEqualTo(pages);
      assertThat(compute(ebb, MODEL.withSalt("other"), prompt)).isZero();
      assertThat(compute(ebb, Namespace.of("another"), prompt)).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 2, 16, 8, 2", "2, 2, 16, 4, 1", "2, 2, 16, 4, 4", "4, 1, 16, 4, 2"})
  void anotherLayoutFindsNothing(int layers, int heads, int dim, int blockTokens, int groups) {
    List<Integer> prompt = tokens(0, 101);
    try (Ebb ebb = start(64, "")) {
      assertThat(compute(ebb, MODEL, prompt)).isZero();
    }
    KvLayout other = new KvLayout(layers, heads, dim, blockTokens, DType.FP32, groups);
    try (Ebb ebb = Ebb.start(options(home, other, 64, disk(home, 32)))) {
      assertThat(compute(ebb, MODEL, prompt)).isZero();
    }
  }

  @Test
  void damagedPagesAreComputed() throws IOException {
    List<Integer> prompt = tokens(0, 101);
    try (Ebb ebb = start(64, "")) {
      assertThat(compute(ebb, MODEL, prompt)).isZero();
    }
    try (RandomAccessFile file = new RandomAccessFile(home.resolve("prefixes").toFile(), "rw")) {
      byte[] content = new byte[(int) file.length()];
      file.readFully(content);
      // Behind the two descriptions of the file, in the record of some page.
      int at = (1 << 16) + 12_000;
      file.seek(at);
      file.write(content[at] ^ 1);
    }
    try (Ebb ebb = start(64, "")) {
      int matched = compute(ebb, MODEL, prompt);
      assertThat(matched).isBetween(4, 96);
      assertThat(ebb.stats().disk().disk().damagedRecords()).isEqualTo(1);
      assertThat(compute(ebb, MODEL, prompt)).isEqualTo(100);
    }
  }

  @Test
  void whatIsNotReadInTimeIsComputed() {
    KvLayout wide = new KvLayout(16, 2, 64, 4, DType.FP32);
    String settings =
        """
        ebb.tiers.disk { path = "%s", size = 257 MiB, region-size = 1 MiB, read-timeout = 1 ms }
        """
            .formatted(home.resolve("prefixes"));
    List<Integer> prompt = tokens(0, 6_400);
    try (Ebb ebb = Ebb.start(options(home, wide, 2_000, settings))) {
      assertThat(compute(ebb, MODEL, prompt)).isZero();
    }
    try (Ebb ebb = Ebb.start(options(home, wide, 2_000, settings))) {
      assertThat(compute(ebb, MODEL, prompt)).isLessThan(6_400);
      assertThat(compute(ebb, MODEL, prompt)).isEqualTo(6_400);
    }
  }

  @Test
  void theAdmissionChangesWhileTheEngineRuns() {
    try (Ebb ebb = start(64, "ebb.tiers.disk.admission = second-use")) {
      compute(ebb, MODEL, tokens(0, 40));
      var _ = ebb.view().blocks().evictTo(0);
      assertThat(ebb.stats().disk().rejectedValues()).isEqualTo(10);

      RuntimeConfig config = ebb.policies().config();
      config.commit(config.version(), Map.of("ebb.tiers.disk.admission", "all"));
      compute(ebb, MODEL, tokens(1_000, 40));
      evictAll(ebb, 10);
      assertThat(ebb.stats().disk().rejectedValues()).isEqualTo(10);
    }
  }

  @Test
  void aDeletedBlockIsNotOnTheDisk() {
    List<Integer> prompt = tokens(0, 40);
    try (Ebb ebb = start(64, "")) {
      assertThat(compute(ebb, MODEL, prompt)).isZero();
      evictAll(ebb, 10);
      assertThat(compute(ebb, MODEL, prompt)).isEqualTo(40);
      String last = ebb.view().blocks().find(MODEL, array(prompt)).orElseThrow();
      assertThat(ebb.view().blocks().delete(last)).isEmpty();
      assertThat(compute(ebb, MODEL, prompt)).isEqualTo(36);
    }
  }

  @Test
  void blocksOnTheirWayToTheDiskAreUsedBeforeASequenceIsRefused() {
    try (Ebb ebb = start(8, "")) {
      for (int i = 0; i < 500; i++) {
        // Each needs all blocks.
        assertThat(compute(ebb, MODEL, tokens(100 * i, 32))).isZero();
      }
      assertThat(ebb.stats().disk().shedValues()).isPositive();
    }
  }

  @Test
  void modelsWhosePagesAreNotWholeAreRefused() {
    EbbOptions options = options(home, LAYOUT, 64, disk(home, 32));
    assertThatThrownBy(() -> Ebb.start(options.withWindows(0, 6)))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.tiers.disk.path", "windows", "leave it out");
    assertThatThrownBy(() -> Ebb.start(options.withState(512)))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.tiers.disk.path", "recurrent states");
    KvLayout large = new KvLayout(32, 8, 64, 16, DType.FP32);
    assertThatThrownBy(() -> Ebb.start(options(home, large, 64, disk(home, 32))))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.tiers.disk.region-size '64 KiB'", "2 MiB", "'4 MiB'");
  }

  /** An engine in a process of its own that evicts all the time. */
  static final class Killed {

    private Killed() {}

    public static void main(String[] arguments) {
      Path home = Path.of(arguments[0]);
      try (Ebb ebb = Ebb.start(options(home, LAYOUT, 64, disk(home, 64)))) {
        int first = 20 * Integer.parseInt(arguments[1]);
        for (int i = 0; ; i = (i + 1) % 20) {
          compute(ebb, MODEL, tokens(1_000 * (first + i), 60));
          System.out.println(ebb.stats().disk().disk().writtenBytes());
        }
      }
    }
  }

  @Test
  void aKilledProcessLeavesOnlyWholePages() throws Exception {
    long found = 0;
    for (int round = 0; round < 2; round++) {
      Process process =
          JavaProcess.of(Killed.class, home.toString(), String.valueOf(round))
              .redirectError(home.resolve("errors").toFile())
              .start();
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        long written = 0;
        while (written < 1 << 18) {
          String line = out.readLine();
          assertThat(line).as(Files.readString(home.resolve("errors"))).isNotNull();
          // Its log is there too.
          written = line.matches("\\d+") ? Long.parseLong(line) : written;
        }
      } finally {
        process.destroyForcibly().waitFor();
      }
      try (Ebb ebb =
          Ebb.start(
              options(home, LAYOUT, 1_000, disk(home, 64) + "ebb.tiers.disk.on-stop = drop"))) {
        for (int i = 0; i < 20 * (round + 1); i++) {
          found += compute(ebb, MODEL, tokens(1_000 * i, 60));
        }
      }
    }
    assertThat(found).isPositive();
  }
}
