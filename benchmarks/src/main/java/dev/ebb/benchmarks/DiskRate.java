package dev.ebb.benchmarks;

import dev.ebb.host.disk.DiskLog;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.DiskOptions;
import dev.ebb.host.disk.format.DiskKey;
import dev.ebb.host.disk.format.ReadBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * How quickly the log of the disk tier writes and reads values of 1 MiB, beside {@code fio} with
 * the same sizes and depths on the same file system, and how long a log of 262,144 values takes to
 * start. The programs take turns, so that other load on the machine meets all of them.
 */
public final class DiskRate {

  private static final int MIB = 1 << 20;
  private static final int REGION = 64 * MIB;
  private static final int VALUES = 2_000;
  private static final int READS = 800;
  private static final int CIPHERED = 500;
  private static final int ENTRIES = 262_144;
  private static final int SMALL = 4_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern RATE = Pattern.compile("\"bw_bytes\" : (\\d+)");

  /** A quarter more than the values take, so that half of them are in other regions each round. */
  private static final long BYTES = 2_560L * MIB;

  private final Path folder;
  private final int rounds;

  private DiskRate(Path folder, int rounds) {
    this.folder = folder;
    this.rounds = rounds;
  }

  /** Takes a folder on the disk that is measured, and the number of rounds. */
  public static void main(String[] arguments) throws Exception {
    DiskRate rate = new DiskRate(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
    rate.cipher();
    rate.rates();
    rate.restart();
  }

  private void rates() throws Exception {
    List<double[]> results = new ArrayList<>();
    for (String name : List.of("plain", "sealed")) {
      Files.deleteIfExists(folder.resolve(name));
    }
    for (int round = 0; round <= rounds; round++) {
      double[] fio = {
        fio("write", 4, 1, "--fdatasync=16"), fio("randread", 1, 1), fio("randread", 1, 8)
      };
      double[] plain = ebb("plain", null, round);
      double[] sealed = ebb("sealed", key(), round);
      if (round > 0) {
        // The first round creates the files, and warms up.
        results.add(
            new double[] {
              fio[0], plain[0], sealed[0], fio[1], plain[1], sealed[1], fio[2], plain[2], sealed[2]
            });
      }
    }
    String[] names = {"write", "read, one at a time", "read, eight at a time"};
    System.out.println("| MB/s | fio | Ebb | of fio | Ebb, encrypted | of fio |");
    System.out.println("|---|--:|--:|--:|--:|--:|");
    for (int i = 0; i < names.length; i++) {
      int at = 3 * i;
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %s | %s | %s | %s |%n",
          names[i],
          spread(results, each -> each[at] / 1e6, ""),
          spread(results, each -> each[at + 1] / 1e6, ""),
          spread(results, each -> 100 * each[at + 1] / each[at], " %"),
          spread(results, each -> each[at + 2] / 1e6, ""),
          spread(results, each -> 100 * each[at + 2] / each[at], " %"));
    }
  }

  /** Something of a round. */
  private interface Figure {
    double of(double[] round);
  }

  private static String spread(List<double[]> rounds, Figure figure, String unit) {
    double[] sorted = rounds.stream().mapToDouble(figure::of).sorted().toArray();
    return String.format(
        Locale.ROOT,
        "%,.0f%s (%,.0f to %,.0f)",
        sorted[sorted.length / 2],
        unit,
        sorted[0],
        sorted[sorted.length - 1]);
  }

  /** Returns bytes per second. */
  private double fio(String kind, int blockMib, int jobs, String... more) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "fio",
                "--name=ebb",
                "--filename=" + folder.resolve("fio"),
                "--rw=" + kind,
                "--bs=" + blockMib + "m",
                "--size=" + BYTES,
                "--io_size=" + (kind.equals("write") ? VALUES : READS / jobs) + "m",
                "--ioengine=psync",
                "--direct=1",
                "--overwrite=1",
                "--thread",
                "--numjobs=" + jobs,
                "--group_reporting",
                "--randrepeat=0",
                "--output-format=json"));
    if (kind.equals("write")) {
      command.add("--end_fsync=1");
    }
    command.addAll(Arrays.asList(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Matcher rates = RATE.matcher(output);
    double most = 0;
    while (rates.find()) {
      most = Math.max(most, Double.parseDouble(rates.group(1)));
    }
    if (most == 0) {
      throw new IOException("fio failed: " + output);
    }
    return most;
  }

  private Path key() throws IOException {
    Path key = folder.resolve("key");
    if (!Files.exists(key)) {
      Files.createFile(
          key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(key, "0123456789abcdef".repeat(4));
    }
    return key;
  }

  private static DiskOptions options(long bytes, @Nullable Path key) {
    return new DiskOptions(
        bytes,
        REGION,
        "resp",
        Duration.ofSeconds(1),
        Duration.ofSeconds(1),
        key == null ? null : DiskKey.read(key));
  }

  private static byte[] name(int round, int i) {
    return ("value-" + round + "-" + i).getBytes(StandardCharsets.UTF_8);
  }

  private static void add(DiskLogs log, byte[] key, byte[] value) {
    DiskLog.Ticket ticket = log.announce(DiskLogs.hash(key));
    if (ticket == null
        || ticket.append(
                key,
                new DiskLog.Properties(value.length, 0, DiskLog.NEVER, 0, 0),
                target -> target.put(value),
                PATIENCE)
            != DiskLog.Outcome.ADDED) {
      throw new IllegalStateException("value not added");
    }
  }

  /**
   * Returns bytes per second of writes, of single reads, and of eight threads that read. Values
   * that were read would be written again when their region is reused, so reads have a file of
   * their own.
   */
  private double[] ebb(String name, @Nullable Path key, int round) throws Exception {
    double written;
    try (DiskLogs log = DiskLogs.open(List.of(folder.resolve(name)), options(BYTES, key))) {
      written = write(log, round);
    }
    Path file = folder.resolve(name + "-read");
    if (round == 0) {
      Files.deleteIfExists(file);
    }
    try (DiskLogs log = DiskLogs.open(List.of(file), options(BYTES, key))) {
      if (round == 0) {
        write(log, 0);
      }
      return new double[] {written, read(log, 1), read(log, 8)};
    }
  }

  private static double write(DiskLogs log, int round) {
    byte[] value = new byte[MIB];
    new Random(round).nextBytes(value);
    long begun = System.nanoTime();
    for (int i = 0; i < VALUES; i++) {
      add(log, name(round, i), value);
    }
    log.flush().join();
    return rate((long) VALUES * MIB, begun);
  }

  private static double read(DiskLogs log, int threads) throws Exception {
    List<Callable<Integer>> readers = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      Random random = new Random(System.nanoTime() + thread);
      readers.add(() -> {
        int found = 0;
        try (ReadBuffer buffer = new ReadBuffer()) {
          for (int i = 0; i < READS / threads; i++) {
            // The last ones are in memory.
            found += log.read(name(0, random.nextInt(VALUES - 200)), buffer) != null ? 1 : 0;
          }
        }
        return found;
      });
    }
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      long begun = System.nanoTime();
      long found = 0;
      for (Future<Integer> reader : pool.invokeAll(readers)) {
        found += reader.get();
      }
      if (found < (long) READS / threads * threads) {
        throw new IllegalStateException("only %d values found".formatted(found));
      }
      return rate(found * MIB, begun);
    }
  }

  private static double rate(long bytes, long begun) {
    return bytes * 1e9 / (System.nanoTime() - begun);
  }

  /** The cipher of encrypted files alone, on one thread. */
  private void cipher() throws Exception {
    List<double[]> results = new ArrayList<>();
    byte[] plain = new byte[MIB];
    byte[] sealed = new byte[MIB + 16];
    SecretKeySpec key = new SecretKeySpec(new byte[32], "AES");
    for (int round = 0; round < 3 * rounds; round++) {
      long begun = System.nanoTime();
      for (int i = 0; i < CIPHERED; i++) {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        byte[] nonce = ByteBuffer.allocate(12).putInt(round).putInt(i).array();
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
        cipher.doFinal(plain, 0, MIB, sealed, 0);
      }
      results.add(new double[] {rate((long) CIPHERED * MIB, begun) / 1e6});
    }
    System.out.printf(
        "AES-256-GCM: %s MB/s%n%n",
        spread(results.subList(rounds, results.size()), each -> each[0], ""));
  }

  private void restart() throws Exception {
    Path file = folder.resolve("entries");
    DiskOptions options = options(20L * REGION + MIB, null);
    byte[] value = new byte[SMALL];
    Files.deleteIfExists(file);
    try (DiskLogs log = DiskLogs.open(List.of(file), options)) {
      for (int i = 0; i < ENTRIES; i++) {
        add(log, name(0, i), value);
      }
    }
    List<double[]> starts = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      long begun = System.nanoTime();
      try (DiskLogs log = DiskLogs.open(List.of(file), options);
          ReadBuffer buffer = new ReadBuffer()) {
        double index = (System.nanoTime() - begun) / 1e6;
        boolean found = log.read(name(0, ENTRIES / 2), buffer) != null;
        double first = (System.nanoTime() - begun) / 1e6;
        if (!found || log.stats().values() < ENTRIES * 9 / 10) {
          throw new IllegalStateException(log.stats().toString());
        }
        starts.add(new double[] {index, first});
      }
    }
    System.out.printf(
        "%n%,d values: index back after %s ms, first value after %s ms%n",
        ENTRIES, spread(starts, each -> each[0], ""), spread(starts, each -> each[1], ""));
  }
}
