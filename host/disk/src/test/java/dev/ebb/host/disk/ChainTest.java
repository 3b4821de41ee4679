package dev.ebb.host.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.disk.format.ReadBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Chunks of prompts, each of no use without the one before it. */
class ChainTest {

  private static final int CHAINS = 6;

  private record Chunk(int number, int before) {}

  @RepeatedTest(3)
  void aChunkIsNotDroppedBeforeThoseThatFollowIt(RepetitionInfo repetition) {
    long seed = repetition.getCurrentRepetition();
    Random random = new Random(seed);
    FaultyDisk disk = new FaultyDisk();
    List<List<Chunk>> chains = new ArrayList<>();
    int number = 0;
    int orphans = 0;
    int found = 0;
    try (DiskLogs log = Values.open(disk::open, "disk", Values.options(12));
        ReadBuffer buffer = new ReadBuffer()) {
      for (int step = 0; step < 4_000; step++) {
        if (chains.size() < CHAINS) {
          chains.add(new ArrayList<>());
        }
        List<Chunk> chain = chains.get(random.nextInt(chains.size()));
        int before = chain.isEmpty() ? 0 : chain.getLast().number;
        boolean grows = random.nextInt(6) == 0 && (before == 0 || has(log, before, buffer));
        add(log, ++number, grows ? before : 0);
        // What is kept needs room, which a disk that is too slow does not leave.
        log.flush().join();
        if (grows) {
          chain.add(new Chunk(number, before));
        }
        if (chain.size() == 8) {
          chains.remove(chain);
        }
        if (step % 50 == 0) {
          for (Chunk each : chains.stream().flatMap(List::stream).toList()) {
            if (each.before != 0 && has(log, each.number, buffer)) {
              found++;
              orphans += has(log, each.before, buffer) ? 0 : 1;
            }
          }
        }
      }
    }

    assertThat(found).as("seed %d", seed).isGreaterThan(100);
    assertThat(orphans).as("seed %d", seed).isZero();
  }

  @Test
  void ofWhatWasReadUpToHalfARegionIsKept() {
    FaultyDisk disk = new FaultyDisk();
    byte[] value = new byte[3_000];
    try (DiskLogs log = Values.open(disk::open, "disk", Values.options(6));
        ReadBuffer buffer = new ReadBuffer()) {
      for (int number = 1; log.stats().reusedRegions() < 20; number++) {
        append(log, number, value, new DiskLog.Properties(value.length, 0, DiskLog.NEVER, 0, 0));
        if (number % 5 == 0) {
          log.flush().join();
          for (int read = Math.max(1, number - 100); read <= number; read++) {
            var _ = log.read(Values.key(read), buffer);
          }
        }
      }
      assertThat(log.stats().keptValues())
          .isPositive()
          .isLessThanOrEqualTo(20 * (Values.REGION_BYTES / 2 / value.length));
    }
  }

  @Test
  void whatHasExpiredIsNotKept() {
    FaultyDisk disk = new FaultyDisk();
    try (DiskLogs log = Values.open(disk::open, "disk", Values.options(6))) {
      for (int number = 1; log.stats().reusedRegions() < 5; number++) {
        add(log, number, Math.max(0, number - 50), 1);
        log.flush().join();
      }
      assertThat(log.stats().keptValues()).isZero();
    }
  }

  private static boolean has(DiskLogs log, int number, ReadBuffer buffer) {
    // Not read, which would keep it.
    return log.describe(Values.key(number), buffer) != null;
  }

  private static void add(DiskLogs log, int number, int before) {
    add(log, number, before, DiskLog.NEVER);
  }

  private static void add(DiskLogs log, int number, int before, long expiresAt) {
    byte[] value = Values.value(number, 0);
    long parent = before == 0 ? 0 : DiskLogs.hash(Values.key(before));
    append(log, number, value, new DiskLog.Properties(value.length, 0, expiresAt, 0, parent));
  }

  private static void append(
      DiskLogs log, int number, byte[] value, DiskLog.Properties properties) {
    byte[] key = Values.key(number);
    DiskLog.Ticket ticket = log.announce(DiskLogs.hash(key));
    assertThat(ticket).isNotNull();
    DiskLog.Outcome outcome =
        ticket.append(key, properties, target -> target.put(value), Duration.ofSeconds(10));
    assertThat(outcome).isEqualTo(DiskLog.Outcome.ADDED);
  }
}
