package dev.ebb.host.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Histories;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A fault at each call in turn, of each kind, in histories with crashes. */
@Timeout(600)
class FaultSearchTest {

  private static final int REGIONS = 5;
  private static final int KEYS = 30;
  private static final int STEPS = 40;

  /** Lives of a log; the last ones without a fault. */
  private static final int LIVES = 4;

  /** Each of so many calls fails in turn: {@code -Debb.test.histories=24} for all of them. */
  private static final int STEP = Histories.oneIn(24);

  private static final String FULL = "No space left on device";
  private static final String BROKEN = "Input/output error";

  /** Histories wait for disks to be tried again most of the time. */
  private static final int THREADS = 48;

  @Test
  void aFaultOfOneCallIsNeverSeen() throws Exception {
    search(1, BROKEN);
  }

  @Test
  void aDiskThatIsFullFromAnyCallOnIsNeverSeen() throws Exception {
    search(Integer.MAX_VALUE, FULL);
  }

  /** Runs a history for each call that it has. */
  private static void search(int count, String reason) throws Exception {
    int all = new History(-1, 0, reason).run();
    assertThat(all).isGreaterThan(300);
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<Integer>> histories = new ArrayList<>();
      for (int call = 0; call < all; call += STEP) {
        int at = call;
        histories.add(threads.submit(() -> new History(at, count, reason).run()));
      }
      for (Future<Integer> history : histories) {
        assertThat(history.get()).isPositive();
      }
    }
  }

  /** Random steps against what may be read. */
  private static final class History {

    private final int at;
    private final Random random;
    private final FaultyDisk disk = new FaultyDisk();
    private final DiskOptions options;
    private final int[] versions = new int[KEYS];

    /** Keys that could not be read at the start, and may have a value nevertheless. */
    private final boolean[] unknown = new boolean[KEYS];

    private final List<Set<Integer>> possible = new ArrayList<>();
    private int version;

    History(int at, int count, String reason) {
      this.at = at;
      random = new Random(at);
      options = at / STEP % 2 == 0 ? Values.options(REGIONS) : Values.encrypted(REGIONS);
      Arrays.fill(versions, -1);
      for (int i = 0; i < KEYS; i++) {
        possible.add(new TreeSet<>());
      }
      if (at >= 0) {
        disk.failCalls(at, count, reason);
      }
    }

    /** Returns how many calls the disk had. */
    int run() throws Exception {
      try (ReadBuffer buffer = new ReadBuffer()) {
        for (int life = 0; life < LIVES; life++) {
          DiskLogs log = open();
          check(log, buffer);
          steps(log, buffer);
          if (!log.isUsable()) {
            awaitUse(log);
            steps(log, buffer);
          }
          end(log);
        }
      }
      return disk.calls();
    }

    /** A start that fails names the file and the fault. */
    private DiskLogs open() throws IOException {
      try {
        return Values.open(disk::open, "disk", options);
      } catch (UserError refused) {
        assertThat(refused).hasMessageContainingAll("ebb.tiers.disk.path", "'disk'");
        disk.repair();
        return Values.open(disk::open, "disk", options);
      }
    }

    private void check(DiskLogs log, ReadBuffer buffer) {
      for (int i = 0; i < KEYS; i++) {
        int read = read(log, i, buffer);
        assertThat(read == -1 || possible.get(i).contains(read))
            .as("call %d key %d: %d of %s", at, i, read, possible.get(i))
            .isTrue();
        versions[i] = read;
        unknown[i] = read == -1;
        settled(i);
      }
    }

    private static int read(DiskLogs log, int i, ReadBuffer buffer) {
      return Values.version(i, log.read(Values.key(i), buffer));
    }

    private void steps(DiskLogs log, ReadBuffer buffer) throws Exception {
      for (int step = 0; step < STEPS; step++) {
        int i = random.nextInt(KEYS);
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3, 4 -> replace(log, i);
          case 5 -> remove(log, i);
          case 6 -> settle(log.flush());
          case 7 -> {
            if (random.nextInt(6) == 0) {
              clear(log);
            }
          }
          default -> {
            int read = read(log, i, buffer);
            assertThat(
                    read == -1
                        || read == versions[i]
                        || (unknown[i] && possible.get(i).contains(read)))
                .as("call %d key %d: %d instead of %d", at, i, read, versions[i])
                .isTrue();
          }
        }
      }
    }

    private void replace(DiskLogs log, int i) throws Exception {
      remove(log, i);
      version++;
      if (Values.put(log, i, version) == DiskLog.Outcome.ADDED) {
        versions[i] = version;
        possible.get(i).add(version);
      }
    }

    private void remove(DiskLogs log, int i) throws Exception {
      boolean known = log.knows(DiskLogs.hash(Values.key(i)));
      CompletableFuture<Void> removal = log.remove(DiskLogs.hash(Values.key(i)));
      versions[i] = -1;
      unknown[i] = false;
      if (removal != null && known && settle(removal)) {
        settled(i);
      }
    }

    private void clear(DiskLogs log) {
      boolean cleared = settle(log.clear());
      Arrays.fill(versions, -1);
      Arrays.fill(unknown, false);
      for (int i = 0; cleared && i < KEYS; i++) {
        settled(i);
      }
    }

    /** Nothing but the newest version may come back. */
    private void settled(int i) {
      if (!unknown[i]) {
        possible.get(i).removeIf(each -> each != versions[i]);
      }
    }

    private static boolean settle(@Nullable CompletableFuture<Void> future) {
      return future != null && future.handle((none, failure) -> failure == null).join();
    }

    /** A disk that works again comes back by itself, and records what was removed meanwhile. */
    private void awaitUse(DiskLogs log) throws Exception {
      disk.repair();
      while (!log.isUsable()) {
        Thread.sleep(5);
      }
      for (int i = 0; i < KEYS; i++) {
        settled(i);
      }
    }

    private void end(DiskLogs log) {
      switch (random.nextInt(3)) {
        case 0 -> {}
        case 1 -> disk.kill();
        default -> disk.losePower(random);
      }
      log.close();
    }
  }
}
