package dev.ebb.host.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.DiskKey;
import dev.ebb.host.disk.format.ExtendedGcm;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.errors.UserError;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted files, their keys, and what can be seen without one. */
class EncryptionTest {

  private static final int REGIONS = 6;
  private static final int KEYS = 40;

  @TempDir Path folder;

  private static FaultyDisk filled(DiskOptions options) {
    FaultyDisk disk = new FaultyDisk();
    try (DiskLogs log = Values.open(disk::open, "disk", options)) {
      for (int i = 0; i < KEYS; i++) {
        while (Values.put(log, i, 1) != DiskLog.Outcome.ADDED) {
          log.flush().join();
        }
      }
      requireNonNull(log.remove(DiskLogs.hash(Values.key(3)))).join();
    }
    return disk;
  }

  /** The vectors of https://c2sp.org/XAES-256-GCM. */
  @Test
  void theCipherIsTheSpecifiedOne() {
    String[][] vectors = {
      {"01", "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
      {"03", "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
    };
    byte[] nonce = "ABCDEFGHIJKLMNOPQRSTUVWX".getBytes(StandardCharsets.US_ASCII);
    byte[] text = "XAES-256-GCM".getBytes(StandardCharsets.US_ASCII);
    for (String[] vector : vectors) {
      byte[] key = new byte[32];
      Arrays.fill(key, HexFormat.of().parseHex(vector[0])[0]);
      ExtendedGcm cipher = new ExtendedGcm(key);
      byte[] header = vector[1].getBytes(StandardCharsets.US_ASCII);
      byte[] sealed = new byte[text.length + ExtendedGcm.TAG_BYTES];
      cipher.seal(nonce, header, text, text.length, sealed);
      assertThat(HexFormat.of().formatHex(sealed)).isEqualTo(vector[2]);
      byte[] opened = new byte[text.length];
      assertThat(cipher.open(nonce, header, sealed, sealed.length, opened)).isTrue();
      assertThat(opened).isEqualTo(text);
      assertThat(cipher.start(nonce, Arrays.copyOf(sealed, 4))).isEqualTo(Arrays.copyOf(text, 4));
      sealed[5] ^= 1;
      assertThat(cipher.open(nonce, header, sealed, sealed.length, opened)).isFalse();
    }
  }

  @Test
  void valuesAreBackWithTheirKeyOnly() throws Exception {
    FaultyDisk disk = filled(Values.encrypted(REGIONS));
    try (DiskLogs log = Values.open(disk::open, "disk", Values.encrypted(REGIONS));
        ReadBuffer buffer = new ReadBuffer()) {
      for (int i = 0; i < KEYS; i++) {
        int version = i == 3 ? -1 : 1;
        assertThat(Values.version(i, log.read(Values.key(i), buffer))).isEqualTo(version);
        assertThat(log.describe(Values.key(i), buffer) != null).isEqualTo(version == 1);
      }
      assertThat(log.stats().damagedRecords()).isZero();
    }
    try (BlockFile file = disk.open()) {
      DiskCheck check = DiskCheck.of(file, "disk", (done, regions) -> {});
      assertThat(check.values()).isEqualTo(KEYS);
      assertThat(check.removals()).isEqualTo(1);
      assertThat(check.damagedValues()).isZero();
    }
    refused(disk, Values.options(REGIONS), "'disk' is encrypted; set ebb.tiers.disk.key-file");
    refused(disk, Values.encrypted(REGIONS, 9), "'disk' was encrypted with another key");
    refused(filled(Values.options(REGIONS)), Values.encrypted(REGIONS), "'disk' is not encrypted");
  }

  private static void refused(FaultyDisk disk, DiskOptions options, String message) {
    assertThatThrownBy(() -> Values.open(disk::open, "disk", options))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll(message, "remove the file");
  }

  @Test
  void neitherKeysNorTheirHashesNorValuesCanBeSeen() {
    assertThat(visible(filled(Values.options(REGIONS)).contents())).isGreaterThan(3 * KEYS - 3);
    assertThat(visible(filled(Values.encrypted(REGIONS)).contents())).isZero();
  }

  private static int visible(byte[] file) {
    String text = new String(file, StandardCharsets.ISO_8859_1);
    int found = 0;
    for (int i = 0; i < KEYS; i++) {
      byte[] hash = new byte[Long.BYTES];
      ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN).putLong(DiskFormat.hash(Values.key(i)));
      for (byte[] secret :
          new byte[][] {Values.key(i), hash, Arrays.copyOfRange(Values.value(i, 1), 8, 16)}) {
        found += text.contains(new String(secret, StandardCharsets.ISO_8859_1)) ? 1 : 0;
      }
    }
    return found;
  }

  @Test
  void noNonceIsUsedTwice() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    Random random = new Random(1);
    Set<String> nonces = new HashSet<>();
    int records = 0;
    DiskOptions options = Values.encrypted(4);
    byte[] before = {};
    for (int life = 0; life < 20; life++) {
      DiskLogs log = Values.open(disk::open, "disk", options);
      for (int i = 0; i < 10; i++) {
        var _ = log.remove(DiskLogs.hash(Values.key(i)));
        Values.put(log, i, life);
      }
      if (life % 2 == 0) {
        log.flush().join();
      }
      disk.losePower(random);
      log.close();
      byte[] now = disk.contents();
      for (int at = DiskFormat.REGIONS_FROM; at < now.length; at += DiskFormat.UNIT) {
        boolean isRecord = now[at] == (byte) 0xBD && now[at + 1] == (byte) 0xEB && now[at + 3] == 1;
        boolean isNew =
            at + 128 > before.length || !Arrays.equals(now, at, at + 88, before, at, at + 88);
        if (isRecord && isNew) {
          records++;
          nonces.add(HexFormat.of().formatHex(now, at + 64, at + 88));
        }
      }
      before = now;
    }
    assertThat(records).isGreaterThan(50);
    assertThat(nonces).hasSize(records);
  }

  @Test
  void aChangeWithRightChecksumsIsAMiss() {
    FaultyDisk disk = filled(Values.encrypted(REGIONS));
    byte[] file = disk.contents();
    ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    int at = DiskFormat.REGIONS_FROM + DiskFormat.RECORDS_FROM;
    long seed = bytes.getLong(16) ^ 0x9E3779B97F4A7C15L;
    RecordHeader header = RecordHeader.read(bytes, at, file.length, seed);
    assertThat(header).isNotNull();
    file[at + RecordHeader.BYTES + ExtendedGcm.NONCE_BYTES + 20] ^= 1;
    header.write(bytes, at, seed);
    RecordHeader changed = RecordHeader.read(bytes, at, file.length, seed);
    assertThat(changed != null && changed.isIntact(bytes, at, file.length, seed)).isTrue();
    disk.contents(file);
    try (DiskLogs log = Values.open(disk::open, "disk", Values.encrypted(REGIONS));
        ReadBuffer buffer = new ReadBuffer()) {
      assertThat(log.read(Values.key(0), buffer)).isNull();
      assertThat(log.stats().damagedRecords()).isEqualTo(1);
      assertThat(Values.version(1, log.read(Values.key(1), buffer))).isEqualTo(1);
    }
  }

  @Test
  void aKeyIsOfBytesOrDigitsAndOnlyItsOwnersToRead() throws Exception {
    Path file = folder.resolve("key");
    byte[] key = new byte[32];
    new Random(1).nextBytes(key);
    Files.write(file, key);
    rights(file, "rw-------");
    long check = DiskKey.read(file).check(7);
    Files.writeString(file, HexFormat.of().formatHex(key) + "\n");
    assertThat(DiskKey.read(file).check(7)).isEqualTo(check);
    for (String open : new String[] {"rw-r-----", "rw----r--", "rw--w----", "rw-----w-"}) {
      rights(file, open);
      refusesKey(file, "(" + open + ")", "chmod 600 " + file);
    }
    rights(file, "rw-------");
    Files.writeString(file, "secret");
    refusesKey(file, "'6' bytes", "32 bytes, or 64 hexadecimal digits");
    Files.delete(file);
    refusesKey(file, "no such file or folder", "openssl rand -hex 32");
    Files.createDirectory(file);
    refusesKey(file, "is a folder", "name the file");
  }

  private static void rights(Path file, String rights) throws Exception {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
  }

  private static void refusesKey(Path file, String... parts) {
    assertThatThrownBy(() -> DiskKey.read(file))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith("ebb.tiers.disk.key-file = '" + file + "'")
        .hasMessageContainingAll(parts);
  }
}
