package dev.ebb.host.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.testing.Histories;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random histories with crashes, against a map of what may be read. */
class CrashTest {

  private static final int KEYS = 60;

  /** What a history knows of a key. */
  private static final class Known {

    /** The newest version; -1 if it was removed. */
    int version = -1;

    /**
     * Versions that may be read after a crash: the newest, and those whose removal is not
     * acknowledged.
     */
    final Set<Integer> possible = new HashSet<>();

    boolean flushed;

    /** The last removal that was not acknowledged when it was asked for. */
    @Nullable CompletableFuture<Void> removal;

    /**
     * Removes the value; after an acknowledged removal, and without a value, no version is left.
     */
    void remove(@Nullable CompletableFuture<Void> removed, boolean awaits) {
      if (removed != null) {
        removal = removed;
        if (awaits) {
          removed.join();
        }
      }
      if (removal == null || removal.isDone()) {
        possible.clear();
      }
    }
  }

  @Test
  void nothingWrongIsReadAfterKillsWhenRegionsAreReused() throws Exception {
    for (long seed = 0; seed < Histories.times(5); seed++) {
      history(seed, 5, false);
    }
  }

  @Test
  void nothingWrongIsReadAfterLostAndTornWrites() throws Exception {
    for (long seed = 100; seed < 100 + Histories.times(5); seed++) {
      history(seed, 5, true);
    }
  }

  @Test
  void whatWasFlushedIsBackWhileNothingIsReused() throws Exception {
    for (long seed = 200; seed < 200 + Histories.times(3); seed++) {
      history(seed, 100, true);
    }
  }

  private static void history(long seed, int regions, boolean power) throws Exception {
    Random random = new Random(seed);
    FaultyDisk disk = new FaultyDisk();
    DiskOptions options = seed % 2 == 0 ? Values.options(regions) : Values.encrypted(regions);
    Map<Integer, Known> model = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      model.put(i, new Known());
    }
    int version = 0;
    try (ReadBuffer buffer = new ReadBuffer()) {
      for (int life = 0; life < 6; life++) {
        DiskLogs log = Values.open(disk::open, "disk", options);
        for (int i = 0; i < KEYS; i++) {
          Known known = requireNonNull(model.get(i));
          int read = Values.version(i, log.read(Values.key(i), buffer));
          assertThat(read == -1 || known.possible.contains(read))
              .as("seed %d life %d key %d: %d of %s", seed, life, i, read, known.possible)
              .isTrue();
          if (regions >= 100 && known.flushed && known.version >= 0) {
            assertThat(read).as("seed %d life %d key %d", seed, life, i).isEqualTo(known.version);
          }
          known.version = read;
          known.removal = null;
          known.possible.clear();
          if (read >= 0) {
            known.possible.add(read);
          }
        }
        int steps = 20 + random.nextInt(400);
        for (int step = 0; step < steps; step++) {
          int i = random.nextInt(KEYS);
          Known known = requireNonNull(model.get(i));
          switch (random.nextInt(12)) {
            case 0, 1, 2, 3, 4 -> {
              known.remove(log.remove(DiskLogs.hash(Values.key(i))), random.nextInt(4) == 0);
              version++;
              boolean added = Values.put(log, i, version) == DiskLog.Outcome.ADDED;
              known.version = added ? version : -1;
              known.flushed = false;
              if (added) {
                known.possible.add(version);
              }
            }
            case 5 -> {
              known.remove(log.remove(DiskLogs.hash(Values.key(i))), random.nextBoolean());
              known.version = -1;
              known.flushed = false;
            }
            case 6 -> {
              log.flush().join();
              model.values().forEach(each -> each.flushed = true);
            }
            case 7 -> {
              if (random.nextInt(40) == 0) {
                log.clear().join();
                model
                    .values()
                    .forEach(each -> {
                      each.version = -1;
                      each.possible.clear();
                    });
              }
            }
            default -> {
              int read = Values.version(i, log.read(Values.key(i), buffer));
              assertThat(read).as("seed %d key %d", seed, i).isIn(-1, known.version);
              if (regions >= 100) {
                assertThat(read).isEqualTo(known.version);
              }
            }
          }
        }
        if (random.nextInt(4) == 0) {
          log.close();
          model
              .values()
              .forEach(known -> {
                known.flushed = true;
                known.possible.removeIf(each -> each != known.version);
              });
        } else if (power) {
          disk.losePower(random);
          log.close();
        } else {
          disk.kill();
          log.close();
        }
      }
    }
  }
}
