package dev.ebb.host.segment;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.pool.DType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are written, read, damaged and refused. */
class SegmentFileTest {

  private static final SegmentHeader.Shape SMALL =
      new SegmentHeader.Shape(2, 1, 4, DType.FP16, 16, 3);

  @TempDir private Path folder;

  @Test
  void aSequenceIsWrittenAsTheFormatSays() throws IOException {
    Path file = folder.resolve("s.seg");
    write(file, SMALL, counted(SMALL.bytes()));
    assertThat(file).hasSameBinaryContentAs(golden("sequence-fp16.seg"));
    SegmentHeader.Shape opaque = new SegmentHeader.Shape(1, 2, 3, DType.opaque(1), 5, 2);
    write(file, opaque, counted(opaque.bytes()));
    assertThat(file).hasSameBinaryContentAs(golden("sequence-opaque.seg"));
  }

  @Test
  void aValueIsWrittenAsTheFormatSays() throws IOException {
    Path file = folder.resolve("v.seg");
    write(file, null, "a value of a client".getBytes(StandardCharsets.US_ASCII));
    assertThat(file).hasSameBinaryContentAs(golden("value.seg"));
  }

  private static final List<SegmentObject> OBJECTS =
      List.of(
          new SegmentObject(0, ObjectGroup.STATE, 0, 2, 5),
          new SegmentObject(0, ObjectGroup.STATE, 1, 2, 0),
          new SegmentObject(1, ObjectGroup.FULL, 0, 2, 7),
          new SegmentObject(2, ObjectGroup.window(4), 1, 2, 3),
          new SegmentObject(65_535, null, 65_534, 65_535, 1));

  private void writeChunk(Path file, List<SegmentObject> objects, byte[] bytes) throws IOException {
    try (SegmentWriter writer = SegmentWriter.ofChunk(file, objects)) {
      writer.write(ByteBuffer.wrap(bytes));
      writer.commit();
    }
  }

  @Test
  void aChunkIsWrittenAsTheFormatSays() throws IOException {
    Path file = folder.resolve("c.seg");
    writeChunk(file, OBJECTS, counted(16));
    assertThat(file).hasSameBinaryContentAs(golden("chunk.seg"));
    try (SegmentReader reader = new SegmentReader(golden("chunk.seg"))) {
      assertThat(reader.header().version()).isEqualTo(2);
      assertThat(reader.objects()).isEqualTo(OBJECTS);
      ByteBuffer bytes = ByteBuffer.allocate(16);
      reader.read(bytes);
      reader.verify(done -> {});
      assertThat(bytes.array()).isEqualTo(counted(16));
    }
  }

  @Test
  void anyChunkIsReadBack() throws IOException {
    Random random = new Random(5);
    for (int i = 0; i < 100; i++) {
      List<SegmentObject> objects = new ArrayList<>();
      int bytes = 0;
      for (int count = 1 + random.nextInt(20); objects.size() < count; ) {
        int ranks = 1 + random.nextInt(100);
        int size = random.nextInt(50);
        bytes += size;
        objects.add(
            new SegmentObject(
                random.nextInt(64),
                List.of(ObjectGroup.FULL, ObjectGroup.STATE, ObjectGroup.window(1 + i))
                    .get(random.nextInt(3)),
                random.nextInt(ranks),
                ranks,
                size));
      }
      byte[] payload = new byte[bytes];
      random.nextBytes(payload);
      Path file = folder.resolve("c.seg");
      writeChunk(file, objects, payload);
      try (SegmentReader reader = new SegmentReader(file)) {
        assertThat(reader.objects()).isEqualTo(objects);
        ByteBuffer read = ByteBuffer.allocate(bytes);
        reader.read(read);
        reader.verify(done -> {});
        assertThat(read.array()).isEqualTo(payload);
      }
    }
  }

  @Test
  void aTableThatDoesNotFitIsRefused() throws IOException {
    Path file = folder.resolve("c.seg");
    List<SegmentObject> other = List.of(new SegmentObject(0, null, 0, 1, 100));
    writeChunk(file, other, new byte[100]);
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    in.putLong(64 + 16, 99);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 64, 24);
    in.putInt(52, (int) crc.getValue());
    crc.reset();
    crc.update(bytes, 0, 60);
    in.putInt(60, (int) crc.getValue());
    Files.write(file, bytes);
    try (SegmentReader reader = new SegmentReader(file)) {
      assertThatExceptionOfType(UserError.class)
          .isThrownBy(reader::objects)
          .withMessageContainingAll(file.toString(), "'123' bytes", "the 124 of the payload");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SegmentObject(0, null, 2, 2, 1))
        .withMessageContaining("rank '2'");
  }

  @Test
  void filesOfEarlierBuildsAreRead() throws IOException {
    try (SegmentReader reader = new SegmentReader(golden("sequence-fp16.seg"))) {
      assertThat(reader.header().shape()).isEqualTo(SMALL);
    }
    assertThat(read(golden("sequence-fp16.seg"))).isEqualTo(counted(96));
    assertThat(read(golden("value.seg"))).asString().isEqualTo("a value of a client");
    try (SegmentReader reader = new SegmentReader(golden("sequence-opaque.seg"))) {
      assertThat(requireNonNull(reader.header().shape()).dtype().name()).isEqualTo("opaque:1");
      List<Long> progress = new ArrayList<>();
      reader.verify(progress::add);
      assertThat(progress).containsExactly(24L);
    }
  }

  @Test
  void whateverIsWrittenIsReadBack() throws IOException {
    Random random = new Random(17);
    List<DType> types = List.of(DType.FP32, DType.FP16, DType.BF16, DType.opaque(3));
    for (int i = 0; i < 100; i++) {
      SegmentHeader.Shape shape =
          new SegmentHeader.Shape(
              1 + random.nextInt(6),
              1 + random.nextInt(4),
              1 + random.nextInt(130),
              types.get(random.nextInt(types.size())),
              1 + random.nextInt(64),
              random.nextInt(50));
      byte[] payload = new byte[(int) shape.bytes()];
      random.nextBytes(payload);
      Path file = folder.resolve("random.seg");
      try (SegmentWriter writer = SegmentWriter.ofSequence(file, shape)) {
        for (ByteBuffer[] pieces : cut(payload, random)) {
          writer.write(pieces);
        }
        writer.commit();
      }
      byte[] copy = new byte[payload.length];
      try (SegmentReader reader = new SegmentReader(file)) {
        assertThat(reader.header().shape()).isEqualTo(shape);
        for (ByteBuffer[] pieces : cut(copy, random)) {
          reader.read(pieces);
        }
        reader.verify(done -> {});
      }
      assertThat(copy).isEqualTo(payload);
    }
  }

  @Test
  void anyFlippedBitIsRefused() throws IOException {
    for (String name : List.of("sequence-fp16.seg", "value.seg", "chunk.seg")) {
      byte[] bytes = Files.readAllBytes(golden(name));
      Path file = folder.resolve(name);
      for (int bit = 0; bit < 8 * bytes.length; bit++) {
        byte[] damaged = bytes.clone();
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        Files.write(file, damaged);
        assertThatExceptionOfType(UserError.class)
            .as("bit %d", bit)
            .isThrownBy(() -> read(file))
            .withMessageStartingWith(file + ": byte")
            .withMessageContaining("must be")
            .withNoCause();
      }
    }
  }

  @Test
  void anyOtherSizeIsRefused() throws IOException {
    byte[] bytes = Files.readAllBytes(golden("sequence-fp16.seg"));
    Path file = folder.resolve("f.seg");
    for (int size = 0; size < bytes.length + 3; size++) {
      if (size != bytes.length) {
        Files.write(file, Arrays.copyOf(bytes, size));
        String number = "'" + (size < 64 ? size : size - 64) + "'";
        String what = size < bytes.length ? "truncated" : "too long";
        assertThatExceptionOfType(UserError.class)
            .isThrownBy(() -> read(file))
            .withMessageContainingAll(file.toString(), what, number);
      }
    }
  }

  @Test
  void randomBytesAreRefused() throws IOException {
    Random random = new Random(3);
    byte[] start = Arrays.copyOf(Files.readAllBytes(golden("value.seg")), 10);
    Path file = folder.resolve("f.seg");
    for (int i = 0; i < 500; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      if (i % 2 == 0) {
        System.arraycopy(start, 0, bytes, 0, Math.min(start.length, bytes.length));
      }
      Files.write(file, bytes);
      assertThatExceptionOfType(UserError.class).isThrownBy(() -> read(file));
    }
  }

  @Test
  void eachWrongFieldIsNamed() throws IOException {
    assertThat(damaged(h -> h.put(0, (byte) 0)))
        .contains("bytes 0-7", "'\\x00BBKVSEG'", "EBBKVSEG");
    assertThat(damaged(h -> h.putShort(8, (short) 3)))
        .contains("bytes 8-9", "version '3'", "be 1 or 2", "newer Ebb");
    assertThat(damaged(h -> h.putShort(8, (short) 2)))
        .contains("bytes 12-15: flags '0'", "be 2 for a chunk", "objects '0' must be 1 to 65536");
    assertThat(damaged(h -> h.put(10, (byte) 9))).contains("byte 10: dtype '9'", "bf16");
    assertThat(damaged(h -> h.put(11, (byte) 4))).contains("byte 11", "'4'", "be 2 for fp16");
    assertThat(damaged(h -> h.put(10, (byte) 4).put(11, (byte) 99)))
        .contains("byte 11", "'99'", "1 to 16");
    assertThat(damaged(h -> h.putInt(12, 6))).contains("bytes 12-15: flags '6'", "1 for a value");
    assertThat(damaged(h -> h.putInt(16, 0))).contains("bytes 16-19: layers '0'", "1 to 1048576");
    assertThat(damaged(h -> h.putInt(20, -1))).contains("bytes 20-23", "KV heads '4294967295'");
    assertThat(damaged(h -> h.putInt(24, 0))).contains("bytes 24-27: head dimension '0'");
    assertThat(damaged(h -> h.putInt(28, 0))).contains("bytes 28-31: block tokens '0'");
    assertThat(damaged(h -> h.putLong(32, -1)))
        .contains("bytes 32-39: sequence length '18446744073709551615'", "0 to 2147483647");
    assertThat(damaged(h -> h.putLong(32, 4)))
        .contains("bytes 40-47: payload bytes '96'", "be 128");
    assertThat(damaged(h -> h.putLong(40, 97)))
        .contains("payload bytes '97' must be 96, the size of the K and V", "behind");
    assertThat(damaged(h -> h.putLong(40, -1))).contains("'18446744073709551615'");
    assertThat(damaged(h -> h.putLong(48, 7))).contains("bytes 48-55: reserved bytes '7'", "be 0");
    assertThat(damaged(h -> h.putInt(56, 0xabc)))
        .contains("bytes 56-59: payload CRC32C '00000abc'", "save it again");
    assertThat(
            damaged(h -> {
              for (int at = 16; at < 32; at += 4) {
                h.putInt(at, 1 << 20);
              }
              h.putLong(32, Integer.MAX_VALUE);
            }))
        .contains("bytes 40-47", "which no file can have");
    assertThat(damaged(h -> h.putInt(12, 1)))
        .contains("byte 10: dtype '2' must be 0", "layers '2' must be 0", "length '3' must be 0");
    assertThat(damaged(h -> h.putInt(16, 0).putInt(20, 0).putLong(48, 1)).lines()).hasSize(3);
  }

  @Test
  void aHeaderWithAWrongChecksumIsRefused() throws IOException {
    byte[] bytes = Files.readAllBytes(golden("sequence-fp16.seg"));
    bytes[60] ^= 1;
    Path file = Files.write(folder.resolve("f.seg"), bytes);
    assertThatExceptionOfType(UserError.class)
        .isThrownBy(() -> read(file))
        .withMessageContainingAll("bytes 60-63: header CRC32C", "for these bytes 0-59");
  }

  @Test
  void aFullDiskLeavesNoHalfFileAndKeepsTheOldOne() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "no /dev/full");
    Path file = folder.resolve("s.seg");
    for (boolean before : new boolean[] {false, true}) {
      if (before) {
        write(file, SMALL, counted(96));
      }
      Files.createSymbolicLink(folder.resolve("s.seg.part"), full);
      assertThatIOException()
          .isThrownBy(() -> write(file, SMALL, new byte[96]))
          .withMessageContaining("space");
      assertThat(Files.exists(file)).isEqualTo(before);
      assertThat(folder.resolve("s.seg.part")).doesNotExist();
    }
    assertThat(read(file)).isEqualTo(counted(96));
  }

  @Test
  void whatIsNotCommittedLeavesNothing() throws IOException {
    Path file = folder.resolve("s.seg");
    try (SegmentWriter writer = SegmentWriter.ofValue(file, 10)) {
      writer.write(ByteBuffer.allocate(9));
      assertThatIllegalStateException().isThrownBy(writer::commit).withMessageContaining("'9'");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.write(ByteBuffer.allocate(2)))
          .withMessageContaining("'11'");
    }
    assertThat(folder).isEmptyDirectory();
    assertThatIOException()
        .isThrownBy(() -> SegmentWriter.ofValue(folder.resolve("none/s.seg"), 1).close());
    assertThatExceptionOfType(UserError.class)
        .isThrownBy(() -> SegmentWriter.ofValue(folder, 1).close())
        .withMessageContaining(folder.toString());
    assertThatExceptionOfType(UserError.class).isThrownBy(() -> read(folder));
  }

  @Test
  void shapesThatNoFileCanHaveAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SegmentHeader.Shape(0, 1, 1, DType.FP16, 1, 1))
        .withMessageContaining("layers '0'");
    int most = 1 << 20;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SegmentHeader.Shape(most, most, most, DType.FP16, 1, 1 << 30))
        .withMessageContaining("8 EiB");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SegmentHeader(SMALL, 0, 0, 1, 0))
        .withMessageContaining("'1'");
  }

  private interface Damage {
    void accept(ByteBuffer header);
  }

  /** Returns the message for a file with another header, whose checksum is right. */
  private String damaged(Damage damage) throws IOException {
    byte[] bytes = Files.readAllBytes(golden("sequence-fp16.seg"));
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    damage.accept(header);
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, 60);
    header.putInt(60, (int) checksum.getValue());
    Path file = Files.write(folder.resolve("damaged.seg"), bytes);
    try {
      read(file);
      return "";
    } catch (UserError refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  private static void write(Path file, SegmentHeader.@Nullable Shape shape, byte[] payload)
      throws IOException {
    try (SegmentWriter writer =
        shape == null
            ? SegmentWriter.ofValue(file, payload.length)
            : SegmentWriter.ofSequence(file, shape)) {
      writer.write(ByteBuffer.wrap(payload));
      writer.commit();
    }
  }

  private static byte[] read(Path file) throws IOException {
    try (SegmentReader reader = new SegmentReader(file)) {
      ByteBuffer payload = ByteBuffer.allocate((int) reader.header().payloadBytes());
      reader.read(payload);
      reader.verify(done -> {});
      return payload.array();
    }
  }

  private static List<ByteBuffer[]> cut(byte[] payload, Random random) {
    List<ByteBuffer[]> calls = new ArrayList<>();
    for (int at = 0; at < payload.length; ) {
      List<ByteBuffer> pieces = new ArrayList<>();
      for (int i = random.nextInt(1500); i >= 0 && at < payload.length; i--) {
        int length = Math.min(payload.length - at, random.nextInt(300));
        pieces.add(ByteBuffer.wrap(payload, at, length));
        at += length;
      }
      calls.add(pieces.toArray(ByteBuffer[]::new));
    }
    return calls;
  }

  private static byte[] counted(long bytes) {
    byte[] payload = new byte[(int) bytes];
    for (int i = 0; i < payload.length; i++) {
      payload[i] = (byte) i;
    }
    return payload;
  }

  private static Path golden(String name) {
    return Path.of("src/test/resources/dev/ebb/host/segment").resolve(name);
  }
}
