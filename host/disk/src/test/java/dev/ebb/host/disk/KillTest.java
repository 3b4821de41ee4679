package dev.ebb.host.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.testing.Histories;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process that is killed while it writes. */
class KillTest {

  /** For a long run: {@code -Debb.test.kills=500 -Debb.test.timeout="3 h"}. */
  private static final int ROUNDS = Integer.getInteger("ebb.test.kills", Histories.times(3));

  /** So often a file is written without reusing a region. */
  private static final int ROUNDS_OF_A_FILE = 8;

  private static final int KEYS = 300;
  private static final int REGIONS = 400;

  @TempDir Path folder;

  /** Writes until it is killed, and prints what is on the disk for certain. */
  static final class Writer {

    private Writer() {}

    public static void main(String[] arguments) {
      Random random = new Random(Long.parseLong(arguments[1]));
      DiskLogs log = Values.open(Path.of(arguments[0]), Values.options(REGIONS));
      int version = Integer.parseInt(arguments[2]);
      List<String> added = new ArrayList<>();
      while (true) {
        int i = random.nextInt(KEYS);
        System.out.println("? " + i + " -1");
        var removed = log.remove(DiskLogs.hash(Values.key(i)));
        if (removed != null) {
          removed.join();
          System.out.println("= " + i + " -1");
        }
        if (random.nextInt(4) > 0) {
          version++;
          System.out.println("? " + i + " " + version);
          if (Values.put(log, i, version) == DiskLog.Outcome.ADDED) {
            added.add("= " + i + " " + version);
          }
        }
        if (random.nextInt(20) == 0) {
          log.flush().join();
          added.forEach(System.out::println);
          added.clear();
          System.out.flush();
        }
      }
    }
  }

  @Test
  void everythingAcknowledgedIsBackAndNothingElse() throws Exception {
    Map<Integer, List<Integer>> possible = new HashMap<>();
    Random random = new Random(4);
    for (int round = 0; round < ROUNDS; round++) {
      Path file = folder.resolve("ebb-" + round / ROUNDS_OF_A_FILE);
      if (round % ROUNDS_OF_A_FILE == 0) {
        possible.clear();
      }
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Writer.class.getName(),
                  file.toString(),
                  Integer.toString(round),
                  Integer.toString(round * 1_000_000))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      int lines = 100 + random.nextInt(3_000);
      try (BufferedReader output = process.inputReader()) {
        for (int line = 0; ; line++) {
          String text = output.readLine();
          if (text == null) {
            break;
          }
          record(possible, text);
          if (line == lines) {
            // That of the process would close its output.
            process.toHandle().destroyForcibly();
          }
        }
      } catch (IOException closed) {
        // The output of a killed process ends anywhere.
      }
      process.waitFor();
      check(file, possible, round);
    }
  }

  /** A line is complete if it has three words. The last one may be cut. */
  private static void record(Map<Integer, List<Integer>> possible, String line) {
    String[] words = line.split(" ");
    if (words.length < 3) {
      return;
    }
    List<Integer> versions =
        possible.computeIfAbsent(Integer.parseInt(words[1]), key -> new ArrayList<>(List.of(-1)));
    int version = Integer.parseInt(words[2]);
    if (words[0].equals("=") && versions.contains(version)) {
      while (versions.getFirst() != version) {
        versions.removeFirst();
      }
    } else {
      versions.add(version);
    }
  }

  private static void check(Path file, Map<Integer, List<Integer>> possible, int round) {
    int found = 0;
    try (DiskLogs log = Values.open(file, Values.options(REGIONS));
        ReadBuffer buffer = new ReadBuffer()) {
      for (int i = 0; i < KEYS; i++) {
        int read = Values.version(i, log.read(Values.key(i), buffer));
        List<Integer> versions = possible.computeIfAbsent(i, key -> new ArrayList<>(List.of(-1)));
        assertThat(read).as("round %d key %d", round, i).isIn(versions);
        versions.clear();
        versions.add(read);
        found += read >= 0 ? 1 : 0;
      }
    }
    assertThat(found).isPositive();
  }
}
