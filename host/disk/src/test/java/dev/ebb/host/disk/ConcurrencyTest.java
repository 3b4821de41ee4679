package dev.ebb.host.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.disk.format.ReadBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers while regions are reused. */
class ConcurrencyTest {

  private static final int KEYS = 200;

  @TempDir Path folder;

  @Test
  void readersNeverSeeAnOldOrForeignValue() throws Exception {
    AtomicIntegerArray removedUpTo = new AtomicIntegerArray(KEYS);
    AtomicBoolean over = new AtomicBoolean();
    try (DiskLogs log = Values.open(folder.resolve("ebb"), Values.options(5));
        ExecutorService threads = Executors.newFixedThreadPool(3)) {
      List<Future<Integer>> readers = new ArrayList<>();
      for (int thread = 0; thread < 3; thread++) {
        Random random = new Random(thread);
        readers.add(
            threads.submit(() -> {
              int found = 0;
              try (ReadBuffer buffer = new ReadBuffer()) {
                while (!over.get()) {
                  int i = random.nextInt(KEYS);
                  int oldest = removedUpTo.get(i);
                  int version = Values.version(i, log.read(Values.key(i), buffer));
                  found += version >= 0 ? 1 : 0;
                  if (version >= 0 && version <= oldest) {
                    throw new AssertionError("version '%d' was removed".formatted(version));
                  }
                }
              }
              return found;
            }));
      }
      Random random = new Random(9);
      for (int version = 1; version < 3_000; version++) {
        int i = random.nextInt(KEYS);
        var _ = log.remove(DiskLogs.hash(Values.key(i)));
        removedUpTo.set(i, version - 1);
        while (Values.put(log, i, version) != DiskLog.Outcome.ADDED) {
          log.flush().join();
        }
      }
      over.set(true);
      int found = 0;
      for (Future<Integer> reader : readers) {
        found += reader.get();
      }
      assertThat(found).isPositive();
      assertThat(log.stats().damagedRecords()).isZero();
      assertThat(log.stats().droppedValues()).isPositive();
    }
  }
}
