package dev.ebb.host.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EbbTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 8, 4, DType.FP16);
  private static final Namespace MODEL = Namespace.of("tiny");
  private static final String SMALL = "ebb.pool { device = host, size = 16 KiB }\n";

  @TempDir private Path home;

  @BeforeEach
  void makePlugin() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(home), "acme.jar");
  }

  private EbbOptions options(String settings) {
    return EbbOptions.of(LAYOUT, home).withSettings(SMALL + settings);
  }

  @Test
  void theConfiguredPolicyDecidesWhatIsEvicted() {
    try (Ebb ebb = Ebb.start(options("ebb.eviction { threshold = 1, target = 1 }"))) {
      int blocks = ebb.pool().report().pool().blocks();
      assertThat(blocks).isEqualTo(16 * 1024 / LAYOUT.blockBytes());
      for (int i = 0; i < blocks; i++) {
        ebb.open(SequenceRequest.of(MODEL, i, i, i, i)).finish();
      }
      // The oldest is used once more, and leaves first all the same: this policy goes by age.
      ebb.open(SequenceRequest.of(MODEL, 0, 0, 0, 0)).finish();
      ebb.open(SequenceRequest.of(MODEL, 99)).finish();

      assertThat(ebb.open(SequenceRequest.of(MODEL, 1, 1, 1, 1)).matchedTokens()).isEqualTo(4);
      assertThat(ebb.open(SequenceRequest.of(MODEL, 0, 0, 0, 0)).matchedTokens()).isZero();
      assertThat(ebb.pool().report().policy()).isEqualTo("lru");
    }
  }

  @Test
  void aBadPolicyCostsNoBlockAndNoRequest() {
    PluginJarBuilder.plugin("broken")
        .provider(
            "acme.Broken",
            """
            package acme;

            import dev.ebb.spi.*;

            public final class Broken implements BlockPolicyProvider {
              public String name() { return "broken"; }

              public BlockPolicy<?> create(PolicyContext context) {
                return new Policy(context.partition().equals("self-test"));
              }

              static final class Policy extends RankedBlockPolicy {
                private final boolean tested;
                private int seen;

                Policy(boolean tested) { this.tested = tested; }

                protected double rank(Entry entry) {
                  if (++seen > 5 && !tested) {
                    throw new IllegalStateException("planned");
                  }
                  return 0;
                }
              }
            }
            """)
        .writeTo(home.resolve("plugins"), "broken.jar");
    try (Ebb ebb =
        Ebb.start(options("ebb.eviction { policy = broken, threshold = 1, target = 1 }"))) {
      int blocks = ebb.pool().report().pool().blocks();
      for (int i = 0; i <= blocks; i++) {
        ebb.open(SequenceRequest.of(MODEL, i, i, i, i)).finish();
      }
      PoolReport report = ebb.pool().report();
      assertThat(report.policy()).isEqualTo("builtin-lru");
      assertThat(report.cachedBlocks()).isEqualTo(blocks);
      assertThat(report.traffic().finished()).isEqualTo(blocks + 1);
      assertThat(ebb.open(SequenceRequest.of(MODEL, 1, 1, 1, 1)).matchedTokens()).isEqualTo(4);
    }
  }

  @Test
  void aSequenceOfAnotherEbbIsRefused() {
    try (Ebb ebb = Ebb.start(options(""));
        Ebb other = Ebb.start(options(""));
        Sequence sequence = other.open(SequenceRequest.of(MODEL, 1, 2, 3))) {
      String refused = "sequence '1' is of another Ebb; use the one that opened it";

      assertThatThrownBy(() -> ebb.migrate(sequence, "host", true)).hasMessage(refused);
      assertThatThrownBy(() -> ebb.resume(sequence, SequenceRequest.of(MODEL, 1, 2, 3)))
          .hasMessage(refused);
      assertThatThrownBy(() -> ebb.tokens().maybeEvict(sequence)).hasMessage(refused);
      assertThat(other.tokens().maybeEvict(sequence).evicted()).isFalse();
    }
  }

  @Test
  void numbersBelowZeroAreRefused() {
    assertThatThrownBy(() -> options("").withState(-7))
        .hasMessage("a state of '-7' bytes must have at least 0");
    assertThatThrownBy(() -> SequenceRequest.of(MODEL, 1).withMaxWait(Duration.ofSeconds(-1)))
        .hasMessage("max wait 'PT-1S' must be at least 0 seconds");
    try (Ebb ebb = Ebb.start(options(""));
        Sequence sequence = ebb.open(SequenceRequest.of(MODEL, 1))) {
      assertThatThrownBy(() -> ebb.tokens().maybeEvict(sequence, -1))
          .hasMessage("target size '-1' must be at least 0 tokens");
      assertThatThrownBy(() -> sequence.blockTable(5))
          .hasMessage("lane group '5' must be from 0 to 0");
    }
  }

  @Test
  void evictionKeepsRoomAheadOfDemand() {
    try (Ebb ebb = Ebb.start(options("ebb.eviction { threshold = 0.5, target = 0.25 }"))) {
      int blocks = ebb.pool().report().pool().blocks();
      for (int i = 0; i < 10 * blocks; i++) {
        ebb.open(SequenceRequest.of(MODEL, i, i, i, i)).finish();
        assertThat(ebb.pool().report().cachedBlocks()).isLessThanOrEqualTo(blocks / 2);
      }
      assertThat(ebb.pool().report().reclaim().evictedEntries()).isZero();
    }
  }

  @Test
  void withoutAThresholdOnlyARequestEvicts() {
    try (Ebb ebb = Ebb.start(options(""))) {
      int blocks = ebb.pool().report().pool().blocks();
      for (int i = 0; i < 3 * blocks; i++) {
        ebb.open(SequenceRequest.of(MODEL, i, i, i, i)).finish();
        assertThat(ebb.pool().report().cachedBlocks()).isEqualTo(Math.min(i + 1, blocks));
      }
      assertThat(ebb.pool().report().reclaim().evictedEntries()).isEqualTo(2L * blocks);
    }
  }

  @Test
  void theFileIsReadAndSettingsGoBeforeIt() {
    Configs.file(home, "ebb { pool { device = host, size = 4 KiB }, eviction.policy = none }");
    try (Ebb ebb = Ebb.start(EbbOptions.of(LAYOUT, home).withSettings("ebb.pool.size = 8 KiB"))) {
      assertThat(ebb.pool().report().policy()).isEqualTo("none");
      assertThat(ebb.pool().report().pool().blocks()).isEqualTo(8 * 1024 / LAYOUT.blockBytes());
    }
  }

  @Test
  void windowsReleaseTheBlocksOfTheirLaneGroups() {
    KvLayout twoGroups = new KvLayout(2, 2, 3, 4, DType.FP32, 2);
    EbbOptions options =
        EbbOptions.of(twoGroups, home).withSettings("ebb.pool { device = host, size = 64 KiB }");
    try (Ebb ebb = Ebb.start(options.withWindows(0, 6));
        Sequence sequence = ebb.open(SequenceRequest.of(MODEL, new int[40]))) {
      sequence.publish(40);
      assertThat(sequence.blockTable(0)).hasSize(10).doesNotContain(-1);
      assertThat(sequence.blockTable(1)).startsWith(-1, -1, -1, -1, -1, -1, -1, -1);
      assertThat(sequence.bytes()).isEqualTo(12L * twoGroups.blockBytes());
    }
    assertThatThrownBy(() -> options.withWindows(0)).hasMessageContaining("'1' windows");
    assertThatThrownBy(() -> options.withWindows(5, 5)).hasMessageContaining("'[5, 5]'");
    assertThatThrownBy(() -> options.withWindows(0, -1)).hasMessageContaining("'[0, -1]'");
    assertThatThrownBy(() -> options.withWindows(0, 5).withState(9))
        .hasMessageContaining("recurrent states");
  }

  @Test
  void aWrongConfigurationIsRefusedBeforeAnythingIsOpened() {
    assertThatThrownBy(() -> Ebb.start(options("ebb.eviction.policy = lur")))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("no policy named 'lur'")
        .hasMessageContaining("did you mean 'lru'?");
    assertThatThrownBy(() -> Ebb.start(options("ebb.pool.sise = 1 GiB")))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("unknown key 'ebb.pool.sise'");
    assertThatThrownBy(() -> Ebb.start(options("ebb.pool {"))).isInstanceOf(UserError.class);
    assertThatThrownBy(() -> Ebb.start(options("ebb.pool.size = 100000 GiB")))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("ebb.pool.size");
  }

  @Test
  void aDeviceOfTheCallersIsUsedAndLeftOpen() {
    try (HostDevice device = new HostDevice()) {
      for (int i = 0; i < 2; i++) {
        try (Ebb ebb = Ebb.start(options(""), device)) {
          assertThat(ebb.pool().device()).isSameAs(device);
          assertThat(ebb.open(SequenceRequest.of(MODEL, 1)).length()).isOne();
        }
      }
    }
  }

  @Test
  void closingEndsSequencesButNotUnderAReader() {
    Ebb ebb = Ebb.start(options(""));
    Sequence sequence = ebb.open(SequenceRequest.of(MODEL, 1));
    KvAccess access = sequence.access();
    assertThatThrownBy(ebb::close).hasMessageContaining("accesses are open");
    access.close();
    ebb.close();
    ebb.close();
    assertThat(sequence.state()).isEqualTo(SequenceState.ABORTED);
    assertSaysClosed(() -> ebb.open(SequenceRequest.of(MODEL, 1)));
    assertSaysClosed(ebb::betweenBatches);
    assertSaysClosed(() -> ebb.tokens().use("none"));
  }

  @Test
  void aNamespaceNamesItsModel() {
    assertThatThrownBy(() -> Namespace.of(" "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the model of a namespace is blank; name the model");
  }

  private static void assertSaysClosed(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this Ebb is closed; start another one");
  }

  @Test
  void backgroundCompactionMovesUnusedBlocks() {
    String often = "ebb.pool.defrag { interval = 1 ms, threshold = 0, short-run = 4 }";
    try (Ebb ebb = Ebb.start(options(often + "\nebb.eviction.policy = none"))) {
      int blocks = ebb.pool().report().pool().blocks();
      Sequence[] all = new Sequence[blocks];
      for (int i = 0; i < blocks; i++) {
        all[i] = ebb.open(SequenceRequest.of(MODEL, i, i, i, i));
      }
      for (int i = 0; i < blocks; i += 2) {
        all[i].finish();
      }
      for (int i = 1; i < blocks; i += 2) {
        all[i].abort();
      }
      Awaiting.until(() -> ebb.pool().report().pool().largestFreeRun() >= blocks / 2 - 3);
      assertThat(ebb.open(SequenceRequest.of(MODEL, 2, 2, 2, 2)).matchedTokens()).isEqualTo(4);
    }
  }
}
