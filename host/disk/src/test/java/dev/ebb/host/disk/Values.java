package dev.ebb.host.disk;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.DiskKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Keys and values of tests: a value shows its key and its version. */
final class Values {

  static final int REGION_BYTES = 64 << 10;

  private Values() {}

  static DiskOptions options(int regions) {
    return new DiskOptions(
        DiskFormat.REGIONS_FROM + (long) regions * REGION_BYTES,
        REGION_BYTES,
        "test",
        Duration.ofMillis(20));
  }

  static DiskOptions encrypted(int regions) {
    return encrypted(regions, 1);
  }

  static DiskOptions encrypted(int regions, int key) {
    DiskOptions plain = options(regions);
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) key);
    return new DiskOptions(
        plain.sizeBytes(),
        plain.regionBytes(),
        plain.namespace(),
        plain.flushAfter(),
        plain.readTimeout(),
        DiskKey.of(Path.of("key"), bytes));
  }

  static DiskOptions ofSize(long bytes) {
    return new DiskOptions(bytes, DiskOptions.REGION_BYTES, "", DiskOptions.FLUSH_AFTER);
  }

  /** Opens or creates the only file of a set. */
  static DiskLogs open(BlockFile.Opener opener, String name, DiskOptions options) {
    return DiskLogs.of(List.of(new FileSet.Named(name, opener, opener)), options);
  }

  static DiskLogs open(Path path, DiskOptions options) {
    return DiskLogs.open(List.of(path), options);
  }

  static byte[] key(int number) {
    return ("key-" + number).getBytes(StandardCharsets.UTF_8);
  }

  static byte[] value(int number, int version) {
    Random random = new Random(31L * number + version);
    byte[] bytes = new byte[16 + random.nextInt(3000)];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes).putInt(number).putInt(version);
    return bytes;
  }

  /** Returns the version of a value that was read; -1 if there is none. */
  static int version(int number, @Nullable DiskValue read) {
    if (read == null) {
      return -1;
    }
    byte[] bytes = new byte[read.bytes().remaining()];
    read.bytes().get(bytes);
    int version = ByteBuffer.wrap(bytes).getInt(4);
    if (!Arrays.equals(bytes, value(number, version))) {
      throw new AssertionError("the bytes of key '%d' are wrong".formatted(number));
    }
    return version;
  }

  static DiskLog.Outcome put(DiskLogs log, int number, int version) {
    byte[] key = key(number);
    DiskLog.Ticket ticket = log.announce(DiskLogs.hash(key));
    if (ticket == null) {
      return DiskLog.Outcome.SHED;
    }
    byte[] value = value(number, version);
    return ticket.append(
        key,
        new DiskLog.Properties(value.length, 0, DiskLog.NEVER, 0, 0),
        target -> target.put(value),
        Duration.ZERO);
  }
}
