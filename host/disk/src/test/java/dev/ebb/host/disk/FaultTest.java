package dev.ebb.host.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.errors.UserError;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A disk that fails, and comes back. */
class FaultTest {

  private static final int REGIONS = 6;

  /** Makes hashes of numbers. */
  private static final long SCATTERED = 0x9E3779B97F4A7C15L;

  private static void await(java.util.function.BooleanSupplier condition) throws Exception {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  @Test
  void aFailedDiskIsOutOfUseAndComesBackWithoutWhatWasRemovedMeanwhile() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    try (ReadBuffer buffer = new ReadBuffer()) {
      DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS));
      Values.put(log, 1, 1);
      Values.put(log, 2, 1);
      log.flush().join();
      Values.put(log, 3, 1);
      disk.failAfter(0, "No space left on device");
      assertThat(log.flush().handle((done, failure) -> failure).join()).isNotNull();
      await(() -> !log.stats().usable());

      assertThat(log.read(Values.key(1), buffer)).isNull();
      assertThat(log.contains(DiskLogs.hash(Values.key(1)))).isFalse();
      assertThat(Values.put(log, 4, 1)).isEqualTo(DiskLog.Outcome.SHED);
      CompletableFuture<Void> removed = requireNonNull(log.remove(DiskLogs.hash(Values.key(1))));
      assertThat(removed.handle((done, failure) -> failure).join()).isNotNull();

      disk.repair();
      await(() -> log.stats().usable());
      assertThat(Values.version(1, log.read(Values.key(1), buffer))).isEqualTo(-1);
      assertThat(Values.version(2, log.read(Values.key(2), buffer))).isEqualTo(1);
      assertThat(Values.put(log, 4, 1)).isEqualTo(DiskLog.Outcome.ADDED);
      log.flush().join();
      disk.kill();
      log.close();

      try (DiskLogs again = Values.open(disk::open, "disk", Values.options(REGIONS))) {
        assertThat(Values.version(1, again.read(Values.key(1), buffer))).isEqualTo(-1);
        assertThat(Values.version(2, again.read(Values.key(2), buffer))).isEqualTo(1);
        assertThat(Values.version(3, again.read(Values.key(3), buffer))).isEqualTo(-1);
        assertThat(Values.version(4, again.read(Values.key(4), buffer))).isEqualTo(1);
      }
    }
  }

  @Test
  void aDiskThatIsFullAtTheStartIsNamedWithTheReason() {
    FaultyDisk disk = new FaultyDisk();
    Values.open(disk::open, "disk", Values.options(REGIONS)).close();
    disk.failAfter(0, "No space left on device");
    assertThatThrownBy(() -> Values.open(disk::open, "disk", Values.options(REGIONS)))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'disk' cannot be used: No space left on device;");
  }

  @Test
  void aClearThatFailsIsDoneWhenTheDiskIsBack() throws Exception {
    clearFails(true);
  }

  @Test
  void aClearWhileTheDiskIsOutOfUseIsDoneWhenItIsBack() throws Exception {
    clearFails(false);
  }

  private static void clearFails(boolean usable) throws Exception {
    FaultyDisk disk = new FaultyDisk();
    try (ReadBuffer buffer = new ReadBuffer()) {
      DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS));
      Values.put(log, 1, 1);
      log.flush().join();
      disk.failAfter(0, "Input/output error");
      if (!usable) {
        Values.put(log, 2, 1);
        assertThat(log.flush().handle((done, failure) -> failure).join()).isNotNull();
        await(() -> !log.stats().usable());
      }
      assertThat(log.clear().handle((done, failure) -> failure).join()).isNotNull();
      await(() -> !log.stats().usable());
      disk.repair();
      await(() -> log.stats().usable());
      assertThat(log.read(Values.key(1), buffer)).isNull();
      Values.put(log, 2, 1);
      log.flush().join();
      disk.kill();
      log.close();

      try (DiskLogs again = Values.open(disk::open, "disk", Values.options(REGIONS))) {
        assertThat(again.read(Values.key(1), buffer)).isNull();
        assertThat(Values.version(2, again.read(Values.key(2), buffer))).isEqualTo(1);
      }
    }
  }

  @Test
  void moreRemovalsThanAreKeptRemoveAllValuesWhenTheDiskIsBack() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    try (ReadBuffer buffer = new ReadBuffer()) {
      DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS));
      Values.put(log, 1, 1);
      log.flush().join();
      int most = 1 << 18;
      for (int i = 1; i <= most; i++) {
        assertThat(log.announce(i * SCATTERED)).isNotNull();
      }
      disk.failAfter(0, "Input/output error");
      Values.put(log, 2, 1);
      assertThat(log.flush().handle((done, failure) -> failure).join()).isNotNull();
      await(() -> !log.stats().usable());
      var _ = log.remove(DiskLogs.hash(Values.key(1)));
      for (int i = 1; i <= most; i++) {
        var _ = log.remove(i * SCATTERED);
      }
      disk.repair();
      await(() -> log.stats().usable());
      disk.kill();
      log.close();

      try (DiskLogs again = Values.open(disk::open, "disk", Values.options(REGIONS))) {
        assertThat(again.read(Values.key(1), buffer)).isNull();
      }
    }
  }

  @Test
  void whatWasRemovedMeanwhileStaysRemovedWithoutPower() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    try (ReadBuffer buffer = new ReadBuffer()) {
      DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS));
      Values.put(log, 1, 1);
      log.flush().join();
      disk.failAfter(0, "Input/output error");
      CompletableFuture<Void> removed = log.remove(DiskLogs.hash(Values.key(1)));
      assertThat(removed.handle((done, failure) -> failure).join()).isNotNull();
      await(() -> !log.stats().usable());
      disk.repair();
      await(() -> log.stats().usable());
      disk.losePower(FaultyDisk.LOSES_ALL);
      log.close();

      try (DiskLogs again = Values.open(disk::open, "disk", Values.options(REGIONS))) {
        assertThat(again.read(Values.key(1), buffer)).isNull();
      }
    }
  }

  @Test
  void aFileThatIsAnotherOneWhenTheDiskIsBackIsNotUsed() throws Exception {
    FaultyDisk other = new FaultyDisk();
    Values.open(other::open, "other", Values.options(REGIONS)).close();
    FaultyDisk disk = new FaultyDisk();
    try (DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS))) {
      disk.failAfter(0, "Input/output error");
      Values.put(log, 1, 1);
      assertThat(log.flush().handle((done, failure) -> failure).join()).isNotNull();
      await(() -> !log.stats().usable());
      disk.contents(other.contents());
      long errors = log.stats().errors();
      disk.repair();
      await(() -> log.stats().errors() > errors || log.stats().usable());
      assertThat(log.stats().usable()).isFalse();
    }
    assertThat(disk.contents()).isEqualTo(other.contents());
  }

  @Test
  void whatIsAskedOfAClosedDiskFails() {
    FaultyDisk disk = new FaultyDisk();
    DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS));
    Values.put(log, 1, 1);
    log.close();

    assertThat(log.remove(DiskLogs.hash(Values.key(1)))).isCompletedExceptionally();
    assertThat(log.flush()).isCompletedExceptionally();
  }

  @Test
  void aFaultAtAnyWriteCostsOnlyValues() throws Exception {
    Random random = new Random(3);
    for (int round = 0; round < 25; round++) {
      FaultyDisk disk = new FaultyDisk();
      DiskLogs log = Values.open(disk::open, "disk", Values.options(4));
      disk.failAfter(random.nextInt(150), "Input/output error");
      int[] versions = new int[30];
      try (ReadBuffer buffer = new ReadBuffer()) {
        for (int step = 0; step < 400; step++) {
          int i = random.nextInt(30);
          var _ = log.remove(DiskLogs.hash(Values.key(i)));
          versions[i] = Values.put(log, i, step) == DiskLog.Outcome.ADDED ? step : -1;
          int j = random.nextInt(30);
          assertThat(Values.version(j, log.read(Values.key(j), buffer)))
              .as("round %d", round)
              .isIn(-1, versions[j]);
        }
      }
      disk.repair();
      log.close();
    }
  }

  @Test
  void readsThatFailPutItOutOfUseAndItComesBack() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    try (ReadBuffer buffer = new ReadBuffer();
        DiskLogs log = Values.open(disk::open, "disk", Values.options(REGIONS))) {
      for (int i = 0; i < 120; i++) {
        while (Values.put(log, i, 1) != DiskLog.Outcome.ADDED) {
          log.flush().join();
        }
      }
      log.flush().join();
      disk.failReads(true);
      for (int i = 0; i < 10; i++) {
        assertThat(log.read(Values.key(i), buffer)).isNull();
      }
      await(() -> !log.stats().usable());

      disk.repair();
      await(() -> log.stats().usable());
      log.flush().join();
      assertThat(Values.version(119, log.read(Values.key(119), buffer))).isEqualTo(1);
    }
  }
}
