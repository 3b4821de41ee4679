package dev.ebb.host.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.ReadBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Records of values that were replaced or removed, and must not come back. */
class OutdatedRecordsTest {

  private static final DiskOptions OPTIONS = Values.options(6);
  private static final byte[] KEY = Values.key(1);
  private static final long HASH = DiskLogs.hash(KEY);

  private final FaultyDisk disk = new FaultyDisk();

  private DiskLogs open() {
    return Values.open(disk::open, "disk", OPTIONS);
  }

  private static DiskLog.Outcome append(DiskLog.Ticket ticket, int version) {
    byte[] value = Values.value(1, version);
    return ticket.append(
        KEY,
        new DiskLog.Properties(value.length, 0, DiskLog.NEVER, 0, 0),
        target -> target.put(value),
        Duration.ofSeconds(20));
  }

  @Test
  void aValueThatWasRemovedBeforeItWasAddedIsNotWritten() throws Exception {
    try (DiskLogs log = open()) {
      DiskLog.Ticket ticket = log.announce(HASH);
      log.remove(HASH).join();
      assertThat(append(ticket, 1)).isEqualTo(DiskLog.Outcome.OUTDATED);
    }
    try (BlockFile file = disk.open()) {
      assertThat(DiskCheck.of(file, "disk", (done, regions) -> {}).values()).isZero();
    }
  }

  @Test
  void aValueThatWasDamagedOnceIsNotReadAgain() {
    int inTheValue = DiskFormat.REGIONS_FROM + DiskFormat.RECORDS_FROM + 100;
    try (DiskLogs log = open()) {
      Values.put(log, 1, 1);
    }
    try (ReadBuffer buffer = new ReadBuffer()) {
      DiskLogs log = open();
      disk.flip(inTheValue * Byte.SIZE);
      assertThat(log.read(KEY, buffer)).isNull();
      assertThat(log.stats().damagedRecords()).isEqualTo(1);
      assertThat(log.remove(HASH)).as("it is removed already").isNull();
      log.flush().join();
      disk.flip(inTheValue * Byte.SIZE);
      disk.kill();
      log.close();

      try (DiskLogs again = open()) {
        assertThat(again.read(KEY, buffer)).isNull();
      }
    }
  }

  @Test
  void aValueThatWasDroppedWithItsRegionIsGoneWithoutPower() throws Exception {
    DiskLogs log = open();
    Values.put(log, 1, 1);
    log.flush().join();
    for (int i = 2; log.contains(HASH); i++) {
      while (Values.put(log, i, 1) == DiskLog.Outcome.SHED) {
        Thread.onSpinWait();
      }
    }
    assertThat(log.remove(HASH)).as("it is removed already").isNull();
    disk.losePower(FaultyDisk.LOSES_ALL);
    log.close();

    try (DiskLogs again = open();
        ReadBuffer buffer = new ReadBuffer()) {
      assertThat(again.read(KEY, buffer)).isNull();
    }
  }

  @Test
  void aClockThatWasSetBackDoesNotBringBackOlderValues() throws Exception {
    long ahead = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + 3_600_000);
    FileSet.Named named = new FileSet.Named("disk", disk::open, disk::open);
    FileSet.Member member = FileSet.open(List.of(named), OPTIONS).members.getFirst();
    try (DiskLog log =
        new DiskLog(
            disk::open,
            member.file,
            "disk",
            member.superblock(),
            OPTIONS,
            new AtomicLong(ahead),
            new DiskCounters())) {
      log.start();
      assertThat(append(log.announce(HASH), 1)).isEqualTo(DiskLog.Outcome.ADDED);
    }
    try (ReadBuffer buffer = new ReadBuffer()) {
      try (DiskLogs log = open()) {
        assertThat(Values.version(1, log.read(KEY, buffer))).isEqualTo(1);
        log.remove(HASH).join();
        assertThat(Values.put(log, 1, 2)).isEqualTo(DiskLog.Outcome.ADDED);
      }
      try (DiskLogs log = open()) {
        assertThat(Values.version(1, log.read(KEY, buffer))).isEqualTo(2);
      }
    }
  }
}
