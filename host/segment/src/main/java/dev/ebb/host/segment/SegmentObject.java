package dev.ebb.host.segment;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An object of a chunk in a segment. A table of all of them is the start of the payload; their
 * bytes follow in the same order.
 *
 * @param group the number of its object group, 0 to 65,535
 * @param kind which chunks of a prompt need such objects; null if unknown
 * @param rank the worker's number, 0 to 65,535
 * @param ranks how many workers have such an object, 1 to 65,535
 * @param bytes its size
 */
public record SegmentObject(
    int group, @Nullable ObjectGroup kind, int rank, int ranks, long bytes) {

  /** The size of its line in the table. */
  static final int BYTES = 24;

  private static final int LARGEST = (1 << 16) - 1;

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException if one is not allowed
   */
  public SegmentObject {
    if ((group | rank | ranks) >>> 16 != 0 || rank >= ranks || bytes < 0) {
      throw new IllegalArgumentException(
          "object of group '%d' and rank '%d' of '%d' with '%d' bytes"
              .formatted(group, rank, ranks, bytes));
    }
  }

  /** Returns the table of some objects. */
  static ByteBuffer table(List<SegmentObject> objects) {
    ByteBuffer table = ByteBuffer.allocate(objects.size() * BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (SegmentObject each : objects) {
      table.putShort((short) each.group);
      table.put((byte) number(each.kind)).put((byte) 0);
      table.putShort((short) each.rank).putShort((short) each.ranks);
      table.putInt(each.kind == null ? 0 : each.kind.window()).putInt(0);
      table.putLong(each.bytes);
    }
    return table.flip();
  }

  private static int number(@Nullable ObjectGroup kind) {
    if (kind == null) {
      return 0;
    }
    return switch (kind.kind()) {
      case FULL -> 1;
      case WINDOW -> 2;
      case STATE -> 3;
    };
  }

  /**
   * Reads a table whose checksum is right.
   *
   * @param payloadBytes the size of the payload
   * @throws UserError if a line is wrong
   */
  static List<SegmentObject> read(ByteBuffer table, long payloadBytes) {
    ByteBuffer in = table.order(ByteOrder.LITTLE_ENDIAN);
    List<SegmentObject> objects = new ArrayList<>();
    long bytes = table.limit();
    for (int at = 0; at < table.limit(); at += BYTES) {
      int group = in.getShort(at) & LARGEST;
      int rank = in.getShort(at + 4) & LARGEST;
      int ranks = in.getShort(at + 6) & LARGEST;
      long size = in.getLong(at + 16);
      int line = at / BYTES;
      if (rank >= ranks || size < 0 || size > payloadBytes - bytes) {
        throw new UserError(
            "object '%d': rank '%d' of '%d' and '%s' bytes must be a rank below the number of ranks, and bytes of the payload"
                .formatted(line, rank, ranks, Long.toUnsignedString(size)));
      }
      bytes += size;
      objects.add(
          new SegmentObject(
              group, kind(line, in.get(at + 2), in.getInt(at + 8)), rank, ranks, size));
    }
    if (bytes != payloadBytes) {
      throw new UserError(
          "the objects have '%d' bytes with their table, and must have the %d of the payload"
              .formatted(bytes, payloadBytes));
    }
    return objects;
  }

  private static @Nullable ObjectGroup kind(int line, int kind, int window) {
    if (kind == 0) {
      return null;
    }
    if (kind == 2 && window > 0) {
      return ObjectGroup.window(window);
    }
    if (kind == 1 || kind == 3) {
      return kind == 1 ? ObjectGroup.FULL : ObjectGroup.STATE;
    }
    throw new UserError(
        "object '%d': kind '%d' with window '%d' must be 0 if unknown, 1 for full, 2 for a window of at least 1 chunk, or 3 for a state"
            .formatted(line, kind, window));
  }
}
