package dev.ebb.host.segment;

import java.nio.ByteBuffer;

/** An unsigned number of the header. */
enum HeaderField {
  MAGIC(0, 8, "magic"),
  VERSION(8, 2, "version"),
  DTYPE(10, 1, "dtype"),
  ELEMENT_BYTES(11, 1, "element bytes"),
  FLAGS(12, 4, "flags"),
  LAYERS(16, 4, "layers"),
  KV_HEADS(20, 4, "KV heads"),
  HEAD_DIM(24, 4, "head dimension"),
  BLOCK_TOKENS(28, 4, "block tokens"),
  TOKENS(32, 8, "sequence length"),
  PAYLOAD_BYTES(40, 8, "payload bytes"),
  RESERVED(48, 8, "reserved bytes"),
  OBJECTS(48, 4, "objects"),
  TABLE_CHECKSUM(52, 4, "table CRC32C"),
  PAYLOAD_CHECKSUM(56, 4, "payload CRC32C"),
  HEADER_CHECKSUM(60, 4, "header CRC32C");

  final int offset;
  private final int bytes;
  private final String label;

  HeaderField(int offset, int bytes, String label) {
    this.offset = offset;
    this.bytes = bytes;
    this.label = label;
  }

  long get(ByteBuffer header) {
    return switch (bytes) {
      case 1 -> Byte.toUnsignedLong(header.get(offset));
      case 2 -> Short.toUnsignedLong(header.getShort(offset));
      case 4 -> Integer.toUnsignedLong(header.getInt(offset));
      default -> header.getLong(offset);
    };
  }

  void put(ByteBuffer header, long number) {
    switch (bytes) {
      case 1 -> header.put(offset, (byte) number);
      case 2 -> header.putShort(offset, (short) number);
      case 4 -> header.putInt(offset, (int) number);
      default -> header.putLong(offset, number);
    }
  }

  /** Returns a message that names the bytes, the value and what is allowed. */
  String wrong(String value, Object allowed) {
    String place =
        bytes == 1 ? "byte " + offset : "bytes %d-%d".formatted(offset, offset + bytes - 1);
    return "%s: %s '%s' must be %s".formatted(place, label, value, allowed);
  }
}
