package dev.ebb.host.loadgen;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * Outgoing requests. Small ones are gathered. A large value is sent from its pattern, without a
 * copy, together with its command.
 */
final class RequestWriter {

  private static final int GATHERED = 64 << 10;
  private static final int LARGE = 16 << 10;
  private static final int HEADROOM = 256;
  private static final int KEY_DIGITS = 16;
  private static final byte[] HEX = bytes("0123456789abcdef");
  private static final byte[] GET = bytes("*2\r\n$3\r\nGET\r\n");
  private static final byte[] SET = bytes("*3\r\n$3\r\nSET\r\n");
  private static final byte[] KEY = bytes("$22\r\nbench:");
  private static final byte[] END = bytes("\r\n");

  private final Values values;
  private final ByteBuffer gathered = ByteBuffer.allocateDirect(GATHERED);
  private final ByteBuffer pattern;
  private final ByteBuffer end = ByteBuffer.allocateDirect(END.length).put(END).flip();
  private final ByteBuffer[] all;
  private long valueId;
  private int place;
  private int size;

  RequestWriter(Values values) {
    this.values = values;
    pattern = values.pattern().limit(0);
    all = new ByteBuffer[] {gathered.flip(), pattern, end.position(END.length)};
  }

  boolean hasRoom() {
    return place == size && GATHERED - gathered.limit() >= LARGE + HEADROOM;
  }

  boolean isEmpty() {
    return place == size && !gathered.hasRemaining();
  }

  void get(long id) {
    int sent = open();
    gathered.put(GET);
    key(id);
    close(sent);
  }

  void set(long id) {
    int bytes = values.size(id);
    int sent = open();
    gathered.put(SET);
    key(id);
    gathered.put((byte) '$');
    decimal(bytes);
    gathered.put(END);
    if (bytes <= LARGE) {
      values.put(id, gathered);
      gathered.put(END);
    } else {
      gathered.putLong(values.hash(id));
      valueId = id;
      size = bytes;
      place = Values.HEAD;
      end.rewind();
      nextPiece();
    }
    close(sent);
  }

  /** Writes as much as the socket accepts; true if nothing is left. */
  boolean write(GatheringByteChannel channel) throws IOException {
    while (!isEmpty()) {
      // The end of the value is sent with its last piece.
      int parts = place + pattern.remaining() == size ? all.length : 2;
      int before = pattern.remaining();
      long wrote = place == size ? channel.write(gathered) : channel.write(all, 0, parts);
      place += before - pattern.remaining();
      if (place == size && end.hasRemaining()) {
        // The socket accepted the value but not its end, which is then sent with the following
        // bytes.
        gathered.clear();
        gathered.put(end).flip();
      } else if (place < size && !pattern.hasRemaining()) {
        nextPiece();
      } else if (wrote == 0) {
        return false;
      }
    }
    gathered.position(0).limit(0);
    return true;
  }

  private void nextPiece() {
    int start = values.start(valueId, place);
    pattern.limit(start + values.piece(valueId, place, size - place)).position(start);
  }

  /** From here on the buffer is written to; its limit is where it ends. */
  private int open() {
    int sent = gathered.position();
    gathered.position(gathered.limit()).limit(GATHERED);
    return sent;
  }

  private void close(int sent) {
    gathered.limit(gathered.position()).position(sent);
  }

  private void key(long id) {
    gathered.put(KEY);
    for (int digit = KEY_DIGITS - 1; digit >= 0; digit--) {
      gathered.put(HEX[(int) (id >>> (4 * digit)) & 15]);
    }
    gathered.put(END);
  }

  private void decimal(int number) {
    int unit = 1;
    while (number / unit >= 10) {
      unit *= 10;
    }
    for (; unit > 0; unit /= 10) {
      gathered.put((byte) ('0' + number / unit % 10));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
