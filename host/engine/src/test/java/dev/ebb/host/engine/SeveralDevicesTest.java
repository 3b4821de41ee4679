package dev.ebb.host.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceTopology;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.pool.SequenceReport;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.sequence.SequenceMigration;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.MigrationReport;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.testing.PluginJarBuilder;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One Ebb on the host and two devices whose memory the JVM does not see. */
class SeveralDevicesTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 8, 4, DType.FP16);
  private static final Namespace MODEL = Namespace.of("tiny");
  private static final int BLOCKS = 8;

  @TempDir private Path home;
  private final HostDevice host = new HostDevice();
  private final FailingDevice first = new FailingDevice("cuda:0", host);
  private final FailingDevice second = new FailingDevice("cuda:1", host);

  @BeforeEach
  void makePlugin() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(Configs.plugins(home), "acme.jar");
  }

  @AfterEach
  void close() {
    host.close();
  }

  private Ebb start(Device... further) {
    Device[] devices =
        Stream.concat(Stream.of(first, second, host), Stream.of(further)).toArray(Device[]::new);
    return Ebb.start(
        EbbOptions.of(LAYOUT, home)
            .withSettings(
                "ebb { pool.size = %d B, eviction { threshold = 1, target = 1 } }"
                    .formatted(BLOCKS * LAYOUT.blockBytes())),
        devices);
  }

  private static SequenceRequest request(int... tokens) {
    return SequenceRequest.of(MODEL, tokens);
  }

  @Test
  void aSequenceGoesWhereItsPrefixIsOrWhereMostRoomIsOrWhereItIsAskedFor() {
    try (Ebb ebb = start()) {
      ebb.open(request(1, 1, 1, 1).withDevice("cuda:1")).finish();

      assertThat(ebb.open(request(1, 1, 1, 1, 2)).device()).isEqualTo("cuda:1");
      ebb.open(request(9, 9, 9, 9, 9).withDevice("cuda:0"));
      assertThat(ebb.open(request(3)).device()).isEqualTo("cuda:0");
      assertThat(ebb.open(request(4).withDevice("host")).device()).isEqualTo("host");
      assertThatThrownBy(() -> ebb.open(request(4).withDevice("cuda:7")))
          .isInstanceOf(UserError.class)
          .hasMessage("there is no device 'cuda:7'; this Ebb has [cuda:0, cuda:1, host]");
    }
  }

  @Test
  void aFullDeviceIsPassedOverWhateverItHasOfThePrefix() {
    try (Ebb ebb = start()) {
      ebb.open(request(1, 1, 1, 1).withDevice("cuda:1")).finish();
      ebb.open(request(new int[LAYOUT.blockTokens() * (BLOCKS - 1)]).withDevice("cuda:1"));

      Sequence sequence = ebb.open(request(1, 1, 1, 1, 2));

      assertThat(sequence.device()).isEqualTo("cuda:0");
      assertThat(sequence.matchedTokens()).isEqualTo(4);
      assertThat(ebb.view().pool("cuda:0").report().traffic().copiedOverBlocks()).isOne();
    }
  }

  @Test
  void aPrefixOnAnotherDeviceIsCopiedOverAndBothAreKept() {
    try (Ebb ebb = start()) {
      Sequence original = ebb.open(request(1, 1, 1, 1, 2, 2, 2, 2, 3).withDevice("host"));
      try (KvAccess access = original.access()) {
        access.keys(3, 1).fill((byte) 42);
      }
      original.finish();
      ebb.open(request(1, 1, 1, 1).withDevice("cuda:0")).finish();

      Sequence copy = ebb.open(request(1, 1, 1, 1, 2, 2, 2, 2).withDevice("cuda:0"));
      assertThat(copy.matchedTokens()).isEqualTo(8);
      copy.finish();

      PoolReport there = ebb.view().pool("cuda:0").report();
      assertThat(there.cachedBlocks()).isEqualTo(2);
      assertThat(there.traffic().matchedTokens()).isEqualTo(4 + 8);
      assertThat(ebb.view().pool("host").report().cachedBlocks()).isEqualTo(2);
      // Back on the host the bytes can be looked at.
      Sequence back = ebb.open(request(1, 1, 1, 1, 2, 2, 2, 2).withDevice("cuda:0"));
      ebb.migrate(back, "host", true).run(Long.MAX_VALUE);
      try (KvAccess access = back.reading()) {
        assertThat(access.keys(3, 1).toArray(ValueLayout.JAVA_BYTE)).containsOnly(42);
      }
    }
  }

  @Test
  void aPrefixIsCopiedOnTheFastestPath() {
    FailingDevice third = new FailingDevice("cuda:2", host);
    first.link(
        new DeviceTopology.Link("cuda:2", DeviceTopology.LinkType.NVLINK),
        new DeviceTopology.Link("cuda:1", DeviceTopology.LinkType.PCIE));
    try (Ebb ebb = start(third)) {
      ebb.open(request(1, 1, 1, 1).withDevice("cuda:1")).finish();
      ebb.open(request(1, 1, 1, 1).withDevice("cuda:2")).finish();
      ebb.open(request(1, 1, 1, 1).withDevice("host")).finish();
      second.failNext();

      Sequence sequence = ebb.open(request(1, 1, 1, 1, 2).withDevice("cuda:0"));

      assertThat(sequence.matchedTokens()).isEqualTo(4);
    }
  }

  @Test
  void aPrefixThatCannotBeCopiedIsAMiss() {
    try (Ebb ebb = start()) {
      ebb.open(request(1, 1, 1, 1).withDevice("cuda:0")).finish();
      first.failNext();

      Sequence sequence = ebb.open(request(1, 1, 1, 1).withDevice("cuda:1"));

      assertThat(sequence.matchedTokens()).isZero();
      assertThat(ebb.view().pool("cuda:0").report().sequences()).isEmpty();
    }
  }

  @Test
  void aSequenceMigratesInPiecesAndMayBeReadMeanwhile() {
    try (Ebb ebb = start()) {
      Sequence sequence =
          ebb.open(
              request(1, 2, 3, 4, 5, 6, 7, 8, 9)
                  .withDevice("host")
                  .withMaxLength(20)
                  .reserving(Placement.SCATTERED));
      try (KvAccess access = sequence.access()) {
        access.values(1, 2).fill((byte) 7);
      }
      SequenceMigration migration = ebb.migrate(sequence, "cuda:0", true);

      assertThat(sequence.state()).isEqualTo(SequenceState.MIGRATING);
      assertThat(ebb.view().migrations()).containsExactly(migration);
      assertThat(ebb.view().pool("cuda:0").map().count(BlockUse.MIGRATING)).isEqualTo(3);
      assertThat(ebb.view().pool("cuda:0").report().reservedBlocks()).isEqualTo(2);
      assertThat(ebb.view().pool("host").map().count(BlockUse.MIGRATING)).isEqualTo(3);
      assertThat(migration.run(1).blocksCopied()).isOne();
      first.failNext();
      assertThatThrownBy(() -> migration.run(Long.MAX_VALUE)).isInstanceOf(DeviceException.class);
      try (KvAccess access = sequence.reading()) {
        assertThat(access.device()).isEqualTo("host");
        assertThat(access.writable(2)).isFalse();
        assertThat(access.values(1, 2).isReadOnly()).isTrue();
        assertThat(migration.run(Long.MAX_VALUE).state()).isEqualTo(MigrationReport.State.COPYING);
      }
      MigrationReport report = migration.run(0);

      assertThat(report.state()).isEqualTo(MigrationReport.State.COMPLETE);
      assertThat(report.bytesCopied()).isEqualTo(3L * LAYOUT.blockBytes());
      assertThat(report.bytesPerSecond()).isPositive();
      assertThat(migration.from() + " " + migration.to()).isEqualTo("host cuda:0");
      assertThat(sequence.state()).isEqualTo(SequenceState.OPEN);
      assertThat(sequence.device()).isEqualTo("cuda:0");
      assertThat(ebb.view().migrations()).isEmpty();
      assertThat(ebb.view().pool("host").report().pool().freeBlocks()).isEqualTo(BLOCKS);
      assertThat(ebb.view().pool("cuda:0").report().traffic().arrivedBlocks()).isEqualTo(3);
      sequence.append(new int[11]);
      assertThat(ebb.view().pool("cuda:0").report().reservedBlocks()).isZero();
      sequence.finish();
      assertThat(ebb.view().pool("cuda:0").report().cachedBlocks()).isEqualTo(5);
    }
  }

  @Test
  void theSequenceGoesBeforeItsMigration() {
    try (Ebb ebb = start()) {
      Sequence sequence = ebb.open(request(1, 2, 3).withDevice("host"));
      try (KvAccess writing = sequence.access()) {
        assertThat(writing.pages()).isOne();
        assertThatThrownBy(() -> ebb.migrate(sequence, "cuda:0", false))
            .hasMessage("sequence '1' cannot be migrated: '1' accesses are open; close them first");
      }
      SequenceMigration appended = ebb.migrate(sequence, "cuda:0", false);
      sequence.append(4, 5);
      SequenceMigration written = ebb.migrate(sequence, "cuda:0", false);
      sequence.access().close();
      SequenceMigration closed = ebb.migrate(sequence, "cuda:0", false);
      assertThatThrownBy(() -> ebb.migrate(sequence, "cuda:1", false))
          .hasMessage(
              "sequence '1' is being migrated to 'cuda:0' already; run that migration to its end,"
                  + " or close it");
      closed.close();
      closed.close();
      SequenceMigration finished = ebb.migrate(sequence, "cuda:0", false);
      sequence.finish();

      assertThat(appended.run(0).state()).isEqualTo(MigrationReport.State.CANCELLED);
      assertThat(appended.reason()).isEqualTo("tokens were appended");
      assertThat(written.reason()).isEqualTo("it was opened for writing");
      assertThat(closed.reason()).isEqualTo("it was closed");
      assertThat(finished.reason()).isEqualTo("the sequence is FINISHED");
      assertThat(ebb.view().pool("cuda:0").report().pool().freeBlocks()).isEqualTo(BLOCKS);
      assertThat(ebb.view().pool("host").report().cachedBlocks()).isOne();
    }
  }

  @Test
  void aCachedPrefixMigratesButForWhatIsInUse() {
    try (Ebb ebb = start()) {
      int[] tokens = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
      ebb.open(request(tokens).withDevice("cuda:0")).finish();
      Sequence user = ebb.open(request(1, 1, 1, 1, 5).withDevice("cuda:0"));

      MigrationReport report = ebb.migratePrefix(MODEL, tokens, "host", true).run(Long.MAX_VALUE);

      assertThat(report.state()).isEqualTo(MigrationReport.State.COMPLETE);
      assertThat(report.blocks()).isEqualTo(3);
      assertThat(ebb.view().pool("host").report().cachedBlocks()).isEqualTo(3);
      assertThat(ebb.view().pool("cuda:0").report().cachedBlocks()).isOne();
      assertThat(ebb.view().pool("cuda:0").report().sequences()).hasSize(1);
      user.close();
      assertThatThrownBy(() -> ebb.migratePrefix(MODEL, new int[] {8, 8, 8, 8}, "host", false))
          .isInstanceOf(UserError.class)
          .hasMessage("none of these '4' tokens is cached on a device other than 'host'");
    }
  }

  @Test
  void spaceOnTheTargetIsMadeByEvictingThenByPreemptingOrNotAtAll() {
    try (Ebb ebb = start()) {
      ebb.open(request(tokens(3, 1)).withDevice("cuda:1")).finish();
      Sequence low = ebb.open(request(tokens(5, 2)).withPriority(0).withDevice("cuda:1"));
      Sequence small = ebb.open(request(tokens(2, 3)).withDevice("cuda:0"));
      Sequence large = ebb.open(request(tokens(5, 4)).withDevice("cuda:0"));
      Sequence lowToo = ebb.open(request(tokens(3, 5)).withPriority(0).withDevice("host"));

      ebb.migrate(small, "cuda:1", false).run(Long.MAX_VALUE);
      assertThat(small.device()).isEqualTo("cuda:1");
      assertThat(low.state()).isEqualTo(SequenceState.OPEN);
      assertThat(ebb.view().pool("cuda:1").report().cachedBlocks()).isOne();

      ebb.migrate(large, "cuda:1", false).run(Long.MAX_VALUE);
      assertThat(large.device()).isEqualTo("cuda:1");
      assertThat(low.state()).isEqualTo(SequenceState.PREEMPTED);

      assertThatThrownBy(() -> ebb.migrate(lowToo, "cuda:1", false))
          .isInstanceOf(OutOfBlocksException.class)
          .hasMessageContaining("on cuda:1");
      assertThat(lowToo.state()).isEqualTo(SequenceState.OPEN);
      assertThat(lowToo.device()).isEqualTo("host");
    }
  }

  private static int[] tokens(int blocks, int token) {
    int[] tokens = new int[blocks * LAYOUT.blockTokens()];
    Arrays.fill(tokens, token);
    return tokens;
  }

  @Test
  void whoeverIsOnItsWayToAFullDeviceStaysWhereItWasForAHigherPriority() {
    try (Ebb ebb = start()) {
      Sequence low = ebb.open(request(tokens(6, 1)).withPriority(0).withDevice("host"));
      SequenceMigration migration = ebb.migrate(low, "cuda:0", false);
      migration.run(LAYOUT.blockBytes());

      ebb.open(request(tokens(6, 2)).withDevice("cuda:0"));

      assertThat(low.state()).isEqualTo(SequenceState.OPEN);
      assertThat(low.device()).isEqualTo("host");
      assertThat(migration.reason()).isEqualTo("it was preempted by sequence 2 of priority '1'");
    }
  }

  @Test
  void aLostDeviceIsNotUsedAndTheOthersGoOn() {
    try (Ebb ebb = start()) {
      ebb.open(request(1, 1, 1, 1).withDevice("cuda:0")).finish();
      Sequence leaving = ebb.open(request(2, 2, 2, 2).withDevice("cuda:1"));
      SequenceMigration migration = ebb.migrate(leaving, "cuda:0", false);
      first.lose();

      Sequence sequence = ebb.open(request(1, 1, 1, 1, 2));
      assertThat(sequence.device()).isEqualTo("cuda:1");
      assertThat(sequence.matchedTokens()).isZero();
      assertThatThrownBy(() -> migration.run(0)).isInstanceOf(DeviceException.class);
      migration.close();
      assertThat(leaving.device()).isEqualTo("cuda:1");
      assertThatThrownBy(() -> ebb.migrate(sequence, "cuda:0", false))
          .isInstanceOfSatisfying(
              DeviceException.class, refused -> assertThat(refused.deviceLost()).isTrue());
      assertThatThrownBy(() -> ebb.open(request(1).withDevice("cuda:0")))
          .hasMessageContaining("'cuda:0' is lost");
      second.lose();
      assertThatThrownBy(() -> ebb.open(request(7))).hasMessageContaining("every GPU is lost");
      assertThat(ebb.open(request(7).withDevice("host")).length()).isOne();
    }
  }

  @Test
  void anOperatorFindsSequencesAndMovesByNumber() {
    try (Ebb ebb = start()) {
      Sequence sequence = ebb.open(request(1, 2, 3).withDevice("cuda:0"));
      SequenceMigration migration = ebb.view().migrate(sequence.id(), "host", true);

      assertThat(ebb.view().pool("cuda:0").report().sequences())
          .singleElement()
          .matches(SequenceReport::migrating);
      assertThat(ebb.view().migrations()).containsExactly(migration);
      migration.run(Long.MAX_VALUE);
      assertThat(ebb.view().migrations()).isEmpty();
      assertThatThrownBy(() -> ebb.view().migrate(99, "host", true))
          .hasMessage("there is no open sequence '99'; the pool's report lists the open ones");
      assertThatThrownBy(() -> ebb.view().migrate(sequence.id(), "host", true))
          .hasMessage("sequence '1' is on 'host' already; name another device");
      assertThatThrownBy(() -> ebb.view().pool("tape")).hasMessageContaining("no device 'tape'");
      assertThat(ebb.view().pools()).hasSize(3);
      assertThat(ebb.betweenBatches()).hasSize(3);
    }
  }

  @Test
  void twoDevicesOfOneNameAreRefused() {
    EbbOptions options = EbbOptions.of(LAYOUT, home);
    assertThatThrownBy(() -> Ebb.start(options, host, host))
        .hasMessage("devices '[host, host]' must be one or more, of different names");
    assertThatThrownBy(() -> Ebb.start(options, new Device[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
