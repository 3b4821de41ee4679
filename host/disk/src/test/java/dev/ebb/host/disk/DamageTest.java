package dev.ebb.host.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Histories;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged, foreign and incomplete files. */
class DamageTest {

  private static final int REGIONS = 6;
  private static final int KEYS = 40;

  @TempDir Path folder;

  /** A disk with values 1, and keys below 10 removed; closed, or killed. */
  private static FaultyDisk filled(boolean closed) throws Exception {
    return filled(closed, Values.options(REGIONS));
  }

  private static FaultyDisk filled(boolean closed, DiskOptions options) throws Exception {
    FaultyDisk disk = new FaultyDisk();
    DiskLogs log = Values.open(disk::open, "disk", options);
    for (int i = 0; i < KEYS; i++) {
      while (Values.put(log, i, 1) != DiskLog.Outcome.ADDED) {
        log.flush().join();
      }
    }
    for (int i = 0; i < 10; i++) {
      requireNonNull(log.remove(DiskLogs.hash(Values.key(i)))).join();
    }
    log.flush().join();
    if (!closed) {
      disk.kill();
    }
    log.close();
    return disk;
  }

  @Test
  void noFlippedBitMakesAWrongValueOrUndoesARemoval() throws Exception {
    Random random = new Random(5);
    int rounds = Histories.times(90);
    for (int kind = 0; kind < 4; kind++) {
      DiskOptions options = kind < 2 ? Values.options(REGIONS) : Values.encrypted(REGIONS);
      FaultyDisk disk = filled(kind % 2 == 0, options);
      byte[] good = disk.contents();
      int right = 0;
      for (int round = 0; round < rounds; round++) {
        disk.contents(good);
        int from = round % 3 == 0 ? 0 : DiskFormat.REGIONS_FROM;
        int to = round % 3 == 2 ? DiskFormat.REGIONS_FROM + 3 * DiskFormat.ALIGNMENT : good.length;
        int bit = (from + random.nextInt(to - from)) * Byte.SIZE + random.nextInt(Byte.SIZE);
        disk.flip(bit);
        try (DiskLogs log = Values.open(disk::open, "disk", options);
            ReadBuffer buffer = new ReadBuffer()) {
          for (int i = 0; i < KEYS; i++) {
            int read = Values.version(i, log.read(Values.key(i), buffer));
            assertThat(read)
                .as("bit %d key %d", bit, i)
                .isIn(i < 10 ? new Object[] {-1} : new Object[] {-1, 1});
            right += read == 1 ? 1 : 0;
          }
        }
      }
      assertThat(right).isGreaterThan(rounds * 29);
    }
  }

  @Test
  void noFlippedBitOfAFooterUndoesARemoval() throws Exception {
    FaultyDisk disk = filled(true);
    byte[] good = disk.contents();
    Random random = new Random(6);
    for (int at = DiskFormat.REGIONS_FROM; at < good.length; at += Values.REGION_BYTES) {
      int footer = at + Values.REGION_BYTES - DiskFormat.ALIGNMENT;
      for (int stamp = footer + 8; good[stamp] != 0; stamp += 32) {
        disk.contents(good);
        disk.flip(stamp * Byte.SIZE + random.nextInt(6 * Byte.SIZE));
        try (DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS));
            ReadBuffer buffer = new ReadBuffer()) {
          for (int i = 0; i < 10; i++) {
            assertThat(log.read(Values.key(i), buffer)).as("at %d key %d", stamp, i).isNull();
          }
        }
      }
    }
  }

  @Test
  void noLostBlockUndoesARemoval() throws Exception {
    for (boolean closed : new boolean[] {true, false}) {
      FaultyDisk disk = filled(closed);
      byte[] good = disk.contents();
      for (int at = 0; at < good.length; at += DiskFormat.ALIGNMENT) {
        byte[] damaged = good.clone();
        Arrays.fill(damaged, at, at + DiskFormat.ALIGNMENT, (byte) 0);
        if (Arrays.equals(damaged, good)) {
          continue;
        }
        disk.contents(damaged);
        try (DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS));
            ReadBuffer buffer = new ReadBuffer()) {
          for (int i = 0; i < 10; i++) {
            assertThat(log.read(Values.key(i), buffer)).as("at %d key %d", at, i).isNull();
          }
        }
      }
    }
  }

  @Test
  void aCheckCountsRecordsAndDamage() throws Exception {
    FaultyDisk disk = filled(true);
    int inAValue = DiskFormat.REGIONS_FROM + DiskFormat.RECORDS_FROM + 100;

    try (BlockFile file = disk.open()) {
      DiskCheck good = DiskCheck.of(file, "disk", (done, regions) -> {});
      disk.flip(inAValue * Byte.SIZE);
      DiskCheck damaged = DiskCheck.of(file, "disk", (done, regions) -> {});

      assertThat(good.regions()).isEqualTo(REGIONS);
      assertThat(good.values()).isEqualTo(KEYS);
      assertThat(good.removals()).isEqualTo(10);
      assertThat(good.damagedValues()).isZero();
      assertThat(damaged.values()).isEqualTo(KEYS);
      assertThat(damaged.damagedValues()).isEqualTo(1);
    }
  }

  @Test
  void refusesWhatIsNotSuchAFile() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    byte[] other = new byte[1 << 20];
    Arrays.fill(other, (byte) 7);
    disk.contents(other);

    assertThatThrownBy(() -> Values.open(disk::open, "disk", Values.options(REGIONS)))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'disk'")
        .hasMessageContaining("name another file");
  }

  @Test
  void refusesHalfAFileAnotherVersionAndAnotherSize() throws Exception {
    FaultyDisk disk = filled(true);
    byte[] good = disk.contents();

    disk.contents(Arrays.copyOf(good, good.length / 2));
    assertThatThrownBy(() -> Values.open(disk::open, "disk", Values.options(REGIONS)))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("missing");

    for (int version : new int[] {DiskFormat.VERSION - 1, DiskFormat.VERSION + 1}) {
      byte[] other = good.clone();
      for (int at : new int[] {0, DiskFormat.SUPERBLOCK_COPY}) {
        ByteBuffer.wrap(other).order(ByteOrder.LITTLE_ENDIAN).putInt(at + 8, version);
      }
      disk.contents(other);
      assertThatThrownBy(() -> Values.open(disk::open, "disk", Values.options(REGIONS)))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("version '%d'".formatted(version))
          .hasMessageContaining("remove the file");
    }

    disk.contents(good);
    assertThatThrownBy(() -> Values.open(disk::open, "disk", Values.options(REGIONS + 1)))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("ebb.tiers.disk.size")
        .hasMessageContaining(
            "set them to %d KiB and 64 KiB".formatted(Values.options(REGIONS).sizeBytes() >> 10));
  }

  @Test
  void aFileNeedsItsFolder() {
    // A disk that is not mounted must not fill another one.
    Path gone = folder.resolve("mount/values");
    assertThatThrownBy(() -> Values.open(gone, Values.options(REGIONS)))
        .isInstanceOf(UserError.class)
        .hasMessage(
            "ebb.tiers.disk.path: '%s' cannot be used: the folder '%s' does not exist; create it,"
                + " or mount its disk",
            gone, gone.getParent());
    assertThat(gone.getParent()).doesNotExist();
    assertThatThrownBy(() -> Values.open(folder, Values.options(REGIONS)))
        .isInstanceOf(UserError.class)
        .hasMessage("ebb.tiers.disk.path: '%s' is a folder; name a file in it", folder);
  }

  @Test
  void aFileThatIsNamedTwiceIsRefused() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("values"));
    List<Path> both = List.of(folder.resolve("values"), link);
    assertThatThrownBy(() -> DiskLogs.open(both, Values.options(REGIONS)))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'" + link + "'", "another name", "name each file once");
  }

  @Test
  void aDiskThatIsTooSmallIsRefused() {
    Path file = folder.resolve("values");
    assertThatThrownBy(() -> Values.open(file, Values.ofSize(200L << 40)))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.tiers.disk.size", "'" + file + "'", "larger disk");
    assertThatThrownBy(() -> Values.ofSize(0))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.tiers.disk.size '0 B'", "too small", "region-size");
  }

  @Test
  void valuesOfAnotherNamespaceAreMisses() throws Exception {
    FaultyDisk disk = filled(true);
    DiskOptions same = Values.options(REGIONS);
    DiskOptions other =
        new DiskOptions(same.sizeBytes(), same.regionBytes(), "other", same.flushAfter());
    try (ReadBuffer buffer = new ReadBuffer()) {
      try (DiskLogs log = Values.open(disk::open, "disk", other)) {
        assertThat(log.read(Values.key(20), buffer)).isNull();
        assertThat(log.stats().values()).isZero();
      }
      try (DiskLogs log = Values.open(disk::open, "disk", same)) {
        assertThat(Values.version(20, log.read(Values.key(20), buffer))).isEqualTo(1);
      }
    }
  }

  @Test
  void aFileIsItsOwnersAndOfOneServer() throws Exception {
    Path file = folder.resolve("ebb");
    try (ReadBuffer buffer = new ReadBuffer()) {
      try (DiskLogs log = Values.open(file, Values.options(REGIONS))) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .isEqualTo("rw-------");
        assertThatThrownBy(() -> Values.open(file, Values.options(REGIONS)))
            .isInstanceOf(UserError.class)
            .hasMessageContaining("is open in this process already");
        Values.put(log, 1, 5);
        assertThat(Values.version(1, log.read(Values.key(1), buffer))).isEqualTo(5);
      }
      try (DiskLogs log = Values.open(file, Values.options(REGIONS))) {
        assertThat(Values.version(1, log.read(Values.key(1), buffer))).isEqualTo(5);
        assertThat(log.stats().values()).isEqualTo(1);
      }
    }
  }
}
