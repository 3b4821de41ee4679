package dev.ebb.host.segment;

import static dev.ebb.host.segment.HeaderField.BLOCK_TOKENS;
import static dev.ebb.host.segment.HeaderField.DTYPE;
import static dev.ebb.host.segment.HeaderField.ELEMENT_BYTES;
import static dev.ebb.host.segment.HeaderField.FLAGS;
import static dev.ebb.host.segment.HeaderField.HEADER_CHECKSUM;
import static dev.ebb.host.segment.HeaderField.HEAD_DIM;
import static dev.ebb.host.segment.HeaderField.KV_HEADS;
import static dev.ebb.host.segment.HeaderField.LAYERS;
import static dev.ebb.host.segment.HeaderField.MAGIC;
import static dev.ebb.host.segment.HeaderField.OBJECTS;
import static dev.ebb.host.segment.HeaderField.PAYLOAD_BYTES;
import static dev.ebb.host.segment.HeaderField.PAYLOAD_CHECKSUM;
import static dev.ebb.host.segment.HeaderField.RESERVED;
import static dev.ebb.host.segment.HeaderField.TABLE_CHECKSUM;
import static dev.ebb.host.segment.HeaderField.TOKENS;
import static dev.ebb.host.segment.HeaderField.VERSION;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first 64 bytes of a segment. Numbers are unsigned and little-endian.
 *
 * @param shape the shape of the K and V; null if the payload is a client's value, or a chunk
 * @param objects how many objects a chunk has; 0 if the payload is not a chunk
 * @param tableChecksum the CRC32C of the table of these objects
 * @param payloadBytes the number of bytes behind the header
 * @param payloadChecksum their CRC32C
 */
public record SegmentHeader(
    @Nullable Shape shape, int objects, int tableChecksum, long payloadBytes, int payloadChecksum) {

  /** The size of the header. */
  public static final int BYTES = 64;

  /** The version of the format of sequences and values. */
  public static final int FORMAT = 1;

  /** The version of the format of chunks. */
  public static final int CHUNK_FORMAT = 2;

  private static final String NAME = "EBBKVSEG";
  private static final long NAME_NUMBER = header(ISO_8859_1.encode(NAME)).getLong(0);
  private static final int LARGEST = 1 << 20;

  /** The flag of a client's value, whose shape is unknown. */
  private static final int VALUE = 1;

  /** The flag of the objects of a chunk. */
  private static final int CHUNK = 2;

  private static final int MOST_OBJECTS = 1 << 16;

  /** The number of opaque elements. Those that Ebb computes with come before, from 1. */
  private static final int OPAQUE = DType.computable().size() + 1;

  private static final int LARGEST_ELEMENT = 16;

  /**
   * The shape of a sequence's K and V. The payload is {@code [layer][K|V][KV head][token][head
   * dimension]}.
   *
   * @param layers 1 to 1,048,576
   * @param kvHeads KV heads in a layer, 1 to 1,048,576
   * @param headDim elements of one head, 1 to 1,048,576
   * @param dtype the element
   * @param blockTokens tokens in a block of the pool that it was saved from, 1 to 1,048,576; it can
   *     be loaded into blocks of any size
   * @param tokens the sequence's length, 0 or more
   */
  public record Shape(
      int layers, int kvHeads, int headDim, DType dtype, int blockTokens, int tokens) {

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if a number is not allowed, or the payload is too large
     */
    public Shape {
      requireNonNull(dtype, "dtype is null");
      checkNumber("layers", layers, 1, LARGEST);
      checkNumber("KV heads", kvHeads, 1, LARGEST);
      checkNumber("head dimension", headDim, 1, LARGEST);
      checkNumber("block tokens", blockTokens, 1, LARGEST);
      checkNumber("sequence length", tokens, 0, Integer.MAX_VALUE);
      BigInteger bytes = product(layers, kvHeads, headDim, dtype.bytes(), tokens);
      if (bytes.bitLength() >= Long.SIZE) {
        throw new IllegalArgumentException(
            "payload bytes '%s' must be less than 8 EiB".formatted(bytes));
      }
    }

    /** Returns the shape of a sequence of this many tokens. */
    public static Shape of(KvLayout layout, int tokens) {
      return new Shape(
          layout.layers(),
          layout.kvHeads(),
          layout.headDim(),
          layout.dtype(),
          layout.blockTokens(),
          tokens);
    }

    /** Returns the size of the K and V. */
    public long bytes() {
      return product(layers, kvHeads, headDim, dtype.bytes(), tokens).longValueExact();
    }

    private static void checkNumber(String what, int number, int min, int max) {
      if (number < min || number > max) {
        throw new IllegalArgumentException(
            "%s '%d' must be from %d to %d".formatted(what, number, min, max));
      }
    }
  }

  /**
   * Checks the sizes.
   *
   * @throws IllegalArgumentException if the payload has another size than the shape
   */
  public SegmentHeader {
    if (payloadBytes < 0 || (shape != null && shape.bytes() != payloadBytes)) {
      throw new IllegalArgumentException(
          "payload bytes '%d' do not fit the shape %s".formatted(payloadBytes, shape));
    }
  }

  /** Returns the header of a sequence, its checksum unknown. */
  public static SegmentHeader of(Shape shape) {
    return new SegmentHeader(shape, 0, 0, shape.bytes(), 0);
  }

  /** Returns the header of a client's value, its checksum unknown. */
  static SegmentHeader ofValue(long bytes) {
    return new SegmentHeader(null, 0, 0, bytes, 0);
  }

  /** Returns the header of the objects of a chunk, of which there is at least one. */
  static SegmentHeader ofChunk(List<SegmentObject> objects) {
    ByteBuffer table = SegmentObject.table(objects);
    CRC32C checksum = new CRC32C();
    long bytes = table.remaining() + objects.stream().mapToLong(SegmentObject::bytes).sum();
    checksum.update(table);
    return new SegmentHeader(null, objects.size(), (int) checksum.getValue(), bytes, 0);
  }

  /** Returns the version of the format. */
  public int version() {
    return objects > 0 ? CHUNK_FORMAT : FORMAT;
  }

  /** Returns the same with the CRC32C of the payload. */
  public SegmentHeader withPayloadChecksum(int checksum) {
    return new SegmentHeader(shape, objects, tableChecksum, payloadBytes, checksum);
  }

  /** Returns the 64 bytes. */
  public ByteBuffer encode() {
    ByteBuffer header = header(ByteBuffer.allocate(BYTES));
    MAGIC.put(header, NAME_NUMBER);
    VERSION.put(header, version());
    if (objects > 0) {
      FLAGS.put(header, CHUNK);
      OBJECTS.put(header, objects);
      TABLE_CHECKSUM.put(header, tableChecksum);
    } else if (shape == null) {
      FLAGS.put(header, VALUE);
    } else {
      DTYPE.put(header, number(shape.dtype));
      ELEMENT_BYTES.put(header, shape.dtype.bytes());
      LAYERS.put(header, shape.layers);
      KV_HEADS.put(header, shape.kvHeads);
      HEAD_DIM.put(header, shape.headDim);
      BLOCK_TOKENS.put(header, shape.blockTokens);
      TOKENS.put(header, shape.tokens);
    }
    PAYLOAD_BYTES.put(header, payloadBytes);
    PAYLOAD_CHECKSUM.put(header, payloadChecksum);
    HEADER_CHECKSUM.put(header, checksum(header));
    return header;
  }

  /**
   * Reads a header.
   *
   * @param bytes the first bytes of a file, 64 or fewer if it has no more
   * @param fileBytes the file's size
   * @throws UserError with every field that is wrong
   */
  public static SegmentHeader decode(ByteBuffer bytes, long fileBytes) {
    ByteBuffer header = header(bytes);
    if (fileBytes < BYTES || header.limit() < BYTES) {
      throw new UserError(
          "the file has '%d' bytes, and the header alone has %d; it is truncated, or is not a segment"
              .formatted(fileBytes, BYTES));
    }
    if (MAGIC.get(header) != NAME_NUMBER) {
      throw new UserError(
          MAGIC.wrong(printable(header), "'" + NAME + "'")
              + "; the file is not a segment, or its beginning is damaged");
    }
    long version = VERSION.get(header);
    if (version != FORMAT && version != CHUNK_FORMAT) {
      throw new UserError(
          VERSION.wrong("" + version, "1 or 2")
              + "; the file is damaged, or was written by a newer Ebb: use that one");
    }
    List<String> wrong = new ArrayList<>();
    boolean chunk = version == CHUNK_FORMAT;
    boolean value = !isSequence(header, chunk, wrong);
    Shape shape = value ? null : shape(header, wrong);
    long payload = PAYLOAD_BYTES.get(header);
    long objects = chunk ? check(OBJECTS, header, 1, MOST_OBJECTS, wrong) : 0;
    if (value) {
      List.of(DTYPE, ELEMENT_BYTES, LAYERS, KV_HEADS, HEAD_DIM, BLOCK_TOKENS, TOKENS)
          .forEach(field -> check(field, header, 0, 0, wrong));
    }
    if (!chunk) {
      check(RESERVED, header, 0, 0, wrong);
    }
    if (payload < 0) {
      wrong.add(PAYLOAD_BYTES.wrong(Long.toUnsignedString(payload), "less than 8 EiB"));
    } else if (payload < objects * SegmentObject.BYTES) {
      wrong.add(
          PAYLOAD_BYTES.wrong(
              "" + payload,
              "at least the %d bytes of the table".formatted(objects * SegmentObject.BYTES)));
    } else if (shape != null && payload != shape.bytes()) {
      wrong.add(
          PAYLOAD_BYTES.wrong(
              Long.toUnsignedString(payload), shape.bytes() + ", the size of the K and V"));
    }
    boolean intact = HEADER_CHECKSUM.get(header) == checksum(header);
    if (!intact) {
      wrong.add(
          HEADER_CHECKSUM.wrong(
                  hex(HEADER_CHECKSUM.get(header)), hex(checksum(header)) + " for these bytes 0-59")
              + "; the header is damaged");
    }
    long behind = fileBytes - BYTES;
    if (payload != behind) {
      wrong.add(
          intact && wrong.isEmpty()
              ? "the file has '%d' bytes behind the header and must have %d; it is %s"
                  .formatted(behind, payload, payload > behind ? "truncated" : "too long")
              : PAYLOAD_BYTES.wrong(
                  Long.toUnsignedString(payload), behind + ", the bytes behind the header"));
    }
    UserError.throwIfAny(wrong);
    return new SegmentHeader(
        shape,
        (int) objects,
        chunk ? (int) TABLE_CHECKSUM.get(header) : 0,
        payload,
        (int) PAYLOAD_CHECKSUM.get(header));
  }

  private static boolean isSequence(ByteBuffer header, boolean chunk, List<String> wrong) {
    long flags = FLAGS.get(header);
    if (chunk && flags != CHUNK) {
      wrong.add(FLAGS.wrong("" + flags, "%d for a chunk, in version 2".formatted(CHUNK)));
    } else if (!chunk && flags > VALUE) {
      wrong.add(FLAGS.wrong("" + flags, "0 for a sequence, or %d for a value".formatted(VALUE)));
    }
    return !chunk && flags != VALUE;
  }

  private static @Nullable Shape shape(ByteBuffer header, List<String> wrong) {
    int before = wrong.size();
    long layers = check(LAYERS, header, 1, LARGEST, wrong);
    long kvHeads = check(KV_HEADS, header, 1, LARGEST, wrong);
    long headDim = check(HEAD_DIM, header, 1, LARGEST, wrong);
    long blockTokens = check(BLOCK_TOKENS, header, 1, LARGEST, wrong);
    long tokens = check(TOKENS, header, 0, Integer.MAX_VALUE, wrong);
    DType dtype = dtype(header, wrong);
    if (dtype == null || wrong.size() > before) {
      return null;
    }
    BigInteger bytes = product(layers, kvHeads, headDim, dtype.bytes(), tokens);
    if (bytes.bitLength() >= Long.SIZE) {
      wrong.add(
          PAYLOAD_BYTES.wrong(
              Long.toUnsignedString(PAYLOAD_BYTES.get(header)),
              bytes + ", the size of the K and V, which no file can have"));
      return null;
    }
    return new Shape(
        (int) layers, (int) kvHeads, (int) headDim, dtype, (int) blockTokens, (int) tokens);
  }

  private static @Nullable DType dtype(ByteBuffer header, List<String> wrong) {
    long number = DTYPE.get(header);
    if (number < 1 || number > OPAQUE) {
      wrong.add(
          DTYPE.wrong("" + number, "1 for fp32, 2 for fp16, 3 for bf16 or 4 for opaque elements"));
      return null;
    }
    if (number == OPAQUE) {
      int before = wrong.size();
      long bytes = check(ELEMENT_BYTES, header, 1, LARGEST_ELEMENT, wrong);
      return wrong.size() > before ? null : DType.opaque((int) bytes);
    }
    DType dtype = DType.computable().get((int) number - 1);
    if (ELEMENT_BYTES.get(header) != dtype.bytes()) {
      wrong.add(
          ELEMENT_BYTES.wrong(
              "" + ELEMENT_BYTES.get(header), dtype.bytes() + " for " + dtype.name()));
      return null;
    }
    return dtype;
  }

  private static long check(
      HeaderField field, ByteBuffer header, long min, long max, List<String> wrong) {
    long number = field.get(header);
    if (number < min || number > max) {
      wrong.add(
          field.wrong(
              Long.toUnsignedString(number), min == max ? min : "%d to %d".formatted(min, max)));
    }
    return number;
  }

  private static int number(DType dtype) {
    int index = DType.computable().indexOf(dtype);
    return index < 0 ? OPAQUE : index + 1;
  }

  private static BigInteger product(
      long layers, long kvHeads, long headDim, long elementBytes, long tokens) {
    return BigInteger.valueOf(2 * layers)
        .multiply(BigInteger.valueOf(kvHeads))
        .multiply(BigInteger.valueOf(headDim))
        .multiply(BigInteger.valueOf(elementBytes))
        .multiply(BigInteger.valueOf(tokens));
  }

  private static long checksum(ByteBuffer header) {
    CRC32C checksum = new CRC32C();
    checksum.update(header.slice(0, HEADER_CHECKSUM.offset));
    return checksum.getValue();
  }

  private static String printable(ByteBuffer header) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < NAME.length(); i++) {
      int letter = Byte.toUnsignedInt(header.get(i));
      text.append(letter > ' ' && letter < 127 ? "" + (char) letter : "\\x%02x".formatted(letter));
    }
    return text.toString();
  }

  static String hex(long checksum) {
    return "%08x".formatted(checksum);
  }

  private static ByteBuffer header(ByteBuffer bytes) {
    return bytes.order(ByteOrder.LITTLE_ENDIAN);
  }
}
