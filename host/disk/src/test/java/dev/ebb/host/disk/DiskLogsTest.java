package dev.ebb.host.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several files, each of which may fail, be swapped, or be lost. */
@Timeout(120)
class DiskLogsTest {

  private static final int REGIONS = 8;
  private static final int KEYS = 90;

  @TempDir Path folder;

  private Path file(String name) {
    return folder.resolve(name);
  }

  private DiskLogs open(String... names) {
    return DiskLogs.open(Arrays.stream(names).map(this::file).toList(), Values.options(REGIONS));
  }

  private static DiskLogs open(List<FaultyDisk> disks) {
    return DiskLogs.of(
        IntStream.range(0, disks.size())
            .mapToObj(i -> new FileSet.Named("disk-" + i, disks.get(i)::open, disks.get(i)::open))
            .toList(),
        Values.options(REGIONS));
  }

  /** Adds a value; returns the number of its file. */
  private static int put(DiskLogs logs, int number, int version, long affinity) {
    byte[] key = Values.key(number);
    byte[] value = Values.value(number, version);
    DiskLog.Ticket ticket = logs.announce(DiskLogs.hash(key), affinity);
    assertThat(ticket).as("key %d", number).isNotNull();
    DiskLog.Outcome outcome =
        ticket.append(
            key,
            new DiskLog.Properties(value.length, 0, DiskLog.NEVER, 0, 0),
            target -> target.put(value),
            Duration.ofSeconds(20));
    assertThat(outcome).isEqualTo(DiskLog.Outcome.ADDED);
    return ticket.file();
  }

  private static int read(DiskLogs logs, int number, ReadBuffer buffer) {
    return Values.version(number, logs.read(Values.key(number), buffer));
  }

  private static long hash(int number) {
    return DiskLogs.hash(Values.key(number));
  }

  private void check(String... names) {
    DiskLogs.check(Arrays.stream(names).map(this::file).toList(), Values.options(REGIONS));
  }

  private void fill(String... names) {
    try (DiskLogs logs = open(names)) {
      for (int i = 0; i < KEYS; i++) {
        put(logs, i, 1, 0);
      }
    }
  }

  @Test
  void aValueThatFillsARegionIsAddedAndALargerOneIsNot() {
    try (DiskLogs logs = open("one");
        ReadBuffer buffer = new ReadBuffer()) {
      byte[] key = Values.key(1);
      int largest = DiskOptions.largestValue(Values.REGION_BYTES) - key.length;

      assertThat(append(logs, key, largest + 1)).isEqualTo(DiskLog.Outcome.TOO_LARGE);
      assertThat(logs.read(key, buffer)).isNull();
      assertThat(append(logs, key, largest)).isEqualTo(DiskLog.Outcome.ADDED);
      assertThat(logs.read(key, buffer).bytes().remaining()).isEqualTo(largest);
    }
  }

  private static DiskLog.Outcome append(DiskLogs logs, byte[] key, int length) {
    return logs.announce(DiskLogs.hash(key))
        .append(
            key,
            new DiskLog.Properties(length, 0, DiskLog.NEVER, 0, 0),
            target -> target.position(target.limit()),
            Duration.ofSeconds(1));
  }

  @Test
  void aCheckFindsWhatOpeningWouldAndMakesNothing() {
    check("a", "b");
    assertThat(file("a")).doesNotExist();
    fill("a", "b");

    check("a", "b", "new");
    assertThatThrownBy(() -> check("b"))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.tiers.disk.path", "lacks file 1 of 2");
    assertThatThrownBy(
            () -> DiskLogs.check(List.of(file("a"), file("b")), Values.options(REGIONS + 1)))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("8 regions");
    assertThat(file("new")).doesNotExist();
    assertThat(found("a", "b")).isEqualTo(KEYS);
  }

  @Test
  void aCheckFindsAFileThatCannotGrowAndOneThatIsNamedTwice() throws IOException {
    Files.createFile(file("empty"));
    check("empty");
    DiskOptions large = new DiskOptions(4_095L << 40, 1 << 30, "", DiskOptions.FLUSH_AFTER);
    assertThatThrownBy(() -> DiskLogs.check(List.of(file("empty")), large))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("and the disk of '" + file("empty"));

    Files.createSymbolicLink(file("same"), folder);
    for (String name : List.of("new", "empty")) {
      assertThatThrownBy(() -> check(name, "same/" + name))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'" + file("same/" + name) + "' is named twice");
    }
  }

  private int found(String... names) {
    try (DiskLogs logs = open(names);
        ReadBuffer buffer = new ReadBuffer()) {
      return (int) IntStream.range(0, KEYS).filter(i -> read(logs, i, buffer) == 1).count();
    }
  }

  private void refuses(String[] names, String... parts) {
    assertThatThrownBy(() -> open(names))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith("ebb.tiers.disk.path: ")
        .hasMessageContainingAll(parts);
  }

  @Test
  void valuesAreSpreadOverFilesAndFoundInAnyOrderOfThem() {
    try (DiskLogs logs = open("a", "b", "c");
        ReadBuffer buffer = new ReadBuffer()) {
      int[] counts = new int[3];
      for (int i = 0; i < KEYS; i++) {
        counts[put(logs, i, 1, 0)]++;
      }
      assertThat(counts).doesNotContain(0);
      assertThat(read(logs, 7, buffer)).isEqualTo(1);
      assertThat(logs.announce(hash(7), 99)).isNull();
      requireNonNull(logs.remove(hash(7))).join();
      assertThat(logs.contains(hash(7))).isFalse();
      put(logs, 7, 1, 0);
      assertThat(logs.stats().values()).isEqualTo(KEYS);
    }
    assertThat(found("c", "a", "b")).isEqualTo(KEYS);
  }

  @Test
  void aChainIsInOneFile() {
    int[][] orders = {
      {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {5, 4, 6, 7, 3, 2, 8, 1, 0, 9}
    };
    try (DiskLogs logs = open("a", "b", "c", "d")) {
      for (int chain = 0; chain < 18; chain++) {
        List<Integer> files = new ArrayList<>();
        int first = chain * 10;
        for (int i : orders[chain % 3]) {
          boolean byRoot = chain < 9;
          long before = byRoot ? hash(first) : i == 0 ? 0 : hash(first + i - 1);
          files.add(put(logs, first + i, 1, before));
        }
        assertThat(files).as("chain %d", chain).containsOnly(files.getFirst());
      }
    }
  }

  @Test
  void aSetGrowsByNewFiles() {
    fill("a");
    assertThat(found("b", "a")).isEqualTo(KEYS);
    refuses(new String[] {"a"}, "'", "a' lacks file 2 of 2", "ebb tiers regroup");
    assertThat(found("a", "b", "c")).isEqualTo(KEYS);
  }

  @Test
  void aLostFileIsNoticedAndCanBeGivenUp() throws Exception {
    fill("a", "b");
    Path kept = Files.move(file("b"), file("kept"));
    refuses(new String[] {"a", "b"}, "b' is empty, and '", "lacks file 2 of 2", "mount its disk");
    Files.delete(file("b"));
    refuses(new String[] {"a", "other"}, "lacks file 2 of 2");

    DiskLogs.regroup(List.of(file("a")));

    assertThat(found("a", "new")).isBetween(1, KEYS - 1);
    Files.move(kept, file("b"));
    // It may have values that were replaced meanwhile.
    refuses(new String[] {"a", "new", "b"}, "are of different sets", "remove '" + file("b"));
  }

  @Test
  void filesOfOtherSetsAndCopiesAreRefused() throws Exception {
    fill("a", "b");
    fill("c", "d");
    refuses(new String[] {"a", "d"}, "'" + file("d") + "' are of different sets");
    Files.copy(file("a"), file("copy"));
    refuses(new String[] {"a", "b", "copy"}, "copies of one file");
    refuses(new String[] {"a", "copy"}, "copies of one file");
    assertThat(found("a", "b")).isEqualTo(KEYS);
    assertThatThrownBy(() -> DiskLogs.regroup(List.of(file("a"), file("d"))))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("different sets");
    assertThatThrownBy(() -> DiskLogs.regroup(List.of(file("none"))))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'" + file("none") + "'");
    assertThat(file("none")).doesNotExist();
  }

  @Test
  void aFileThatFailsCostsItsOwnValuesAndComesBack() throws Exception {
    List<FaultyDisk> disks = List.of(new FaultyDisk(), new FaultyDisk());
    try (DiskLogs logs = open(disks);
        ReadBuffer buffer = new ReadBuffer()) {
      int[] files = IntStream.range(0, KEYS).map(i -> put(logs, i, 1, 0)).toArray();
      logs.flush().join();
      disks.get(1).failAfter(-1, "Input/output error");
      while (logs.usableFiles() == 2) {
        logs.flush().handle((_, _) -> null).join();
      }

      assertThat(logs.isUsable()).isTrue();
      for (int i = 0; i < KEYS; i++) {
        assertThat(read(logs, i, buffer)).isEqualTo(files[i] == 0 ? 1 : -1);
      }
      for (int i = KEYS; i < KEYS + 20; i++) {
        assertThat(put(logs, i, 1, 0)).isZero();
      }

      disks.get(1).repair();
      while (logs.usableFiles() < 2) {
        Thread.sleep(5);
      }
      for (int i = 0; i < KEYS + 20; i++) {
        assertThat(read(logs, i, buffer)).isEqualTo(1);
      }
    }
  }

  @Test
  void ofAValueInTwoFilesTheNewerOneCounts() throws Exception {
    List<FaultyDisk> disks = List.of(new FaultyDisk(), new FaultyDisk());
    int[] files;
    DiskLogs logs = open(disks);
    files = IntStream.range(0, KEYS).map(i -> put(logs, i, 1, 0)).toArray();
    logs.flush().join();
    disks.get(1).failAfter(-1, "Input/output error");
    while (logs.usableFiles() == 2) {
      logs.flush().handle((_, _) -> null).join();
    }
    for (int i = 0; i < KEYS; i++) {
      if (files[i] == 1) {
        // Its removal cannot be recorded.
        assertThat(requireNonNull(logs.remove(hash(i))).handle((none, failure) -> failure).join())
            .isNotNull();
        put(logs, i, 2, 0);
      }
    }
    logs.flush().handle((_, _) -> null).join();
    disks.forEach(FaultyDisk::kill);
    logs.close();

    for (int life = 0; life < 2; life++) {
      try (DiskLogs again = open(disks);
          ReadBuffer buffer = new ReadBuffer()) {
        for (int i = 0; i < KEYS; i++) {
          assertThat(read(again, i, buffer)).isEqualTo(1 + files[i]);
        }
        assertThat(again.stats().values()).isEqualTo(KEYS);
      }
    }
  }
}
