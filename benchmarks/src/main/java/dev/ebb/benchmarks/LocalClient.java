package dev.ebb.benchmarks;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;

/** A client that reads values directly into its buffer, and maps the pool. */
final class LocalClient implements AutoCloseable {

  private static final byte[] LINE_END = {'\r', '\n'};

  private final SocketChannel channel;
  private final ByteBuffer out = ByteBuffer.allocateDirect(1 << 16);
  private final ByteBuffer in = ByteBuffer.allocateDirect(1 << 16).flip();
  private final byte[] line = new byte[1 << 10];
  private final long[] pairs = new long[1 << 12];
  private final Queue<Integer> expected = new ArrayDeque<>();
  private int ended;

  /** The file that the server shares. */
  record SharedFile(String path, long bytes) {}

  LocalClient(SocketAddress address) throws IOException {
    channel = SocketChannel.open(address);
    if (address instanceof InetSocketAddress) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
  }

  SharedFile map() throws IOException {
    command("EBB.MAP");
    send();
    expect('*', 2);
    long length = number('$');
    String path = text();
    if (path.length() != length) {
      throw new IOException(path);
    }
    return new SharedFile(path, number(':'));
  }

  void flush() throws IOException {
    command("FLUSHALL");
    send();
    ok();
  }

  /** Moves values of the keys with a number, in batches. */
  interface Mover {

    /** Sends the commands of a batch. */
    void send(int first, int count) throws IOException;

    /** Receives their replies, and moves the values. */
    void receive(int first, int count) throws IOException;
  }

  /** Moves every value; unless they go one by one, the next batch is sent ahead. */
  void moveAll(Mover mover, int keys, int batch) throws IOException {
    boolean ahead = batch > 1;
    if (ahead) {
      mover.send(0, Math.min(batch, keys));
    }
    for (int first = 0; first < keys; first += batch) {
      int next = ahead ? first + batch : first;
      if (next < keys) {
        mover.send(next, Math.min(batch, keys - next));
      }
      mover.receive(first, Math.min(batch, keys - first));
    }
    send();
    confirm(ended);
    ended = 0;
  }

  Mover get(MemorySegment buffer) {
    return new Mover() {
      @Override
      public void send(int first, int count) throws IOException {
        for (int i = first; i < first + count; i++) {
          begin(2, "GET", i);
        }
        LocalClient.this.send();
      }

      @Override
      public void receive(int first, int count) throws IOException {
        for (int i = 0; i < count; i++) {
          expect('$', buffer.byteSize());
          fill(buffer.asByteBuffer());
          text();
        }
      }
    };
  }

  Mover set(MemorySegment value) {
    return new Mover() {
      @Override
      public void send(int first, int count) throws IOException {
        for (int i = first; i < first + count; i++) {
          begin(3, "SET", i);
          header('$', value.byteSize());
          ByteBuffer[] parts = {out.flip(), value.asByteBuffer(), ByteBuffer.wrap(LINE_END)};
          while (parts[2].hasRemaining()) {
            channel.write(parts);
          }
          out.clear();
        }
      }

      @Override
      public void receive(int first, int count) throws IOException {
        confirm(count);
      }
    };
  }

  Mover lease(MemorySegment memory, MemorySegment buffer) {
    return shared(
        "EBB.RELEASE",
        buffer.byteSize(),
        (first, count) -> keys("EBB.LEASE", first, count),
        (place, at, bytes) -> MemorySegment.copy(memory, place, buffer, at, bytes));
  }

  Mover place(MemorySegment memory, MemorySegment value) {
    String size = Long.toString(value.byteSize());
    return shared(
        "EBB.COMMIT",
        value.byteSize(),
        (first, count) -> {
          header('*', 2 + 2 * count);
          bulk("EBB.PLACE");
          bulk("KEYS");
          for (int i = first; i < first + count; i++) {
            bulk("key" + i);
            bulk(size);
          }
        },
        (place, at, bytes) -> MemorySegment.copy(value, at, memory, place, bytes));
  }

  private interface Question {
    void put(int first, int count);
  }

  private interface Copy {
    void range(long place, long at, long bytes);
  }

  /** Moves values of a size between ranges of the shared memory and the client's own. */
  private Mover shared(String end, long size, Question question, Copy copy) {
    return new Mover() {
      @Override
      public void send(int first, int count) throws IOException {
        question.put(first, count);
        sendWithEnds();
      }

      @Override
      public void receive(int first, int count) throws IOException {
        confirm(expected.remove());
        expect('*', count);
        for (int i = 0; i < count; i++) {
          ranges();
          long at = 0;
          for (int range = 0; at < size; range++) {
            copy.range(pairs[2 * range], at, pairs[2 * range + 1]);
            at += pairs[2 * range + 1];
          }
        }
        // Reservations or leases end before the next batch.
        keys(end, first, count);
        ended++;
      }
    };
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private void command(String name) {
    header('*', 1);
    bulk(name);
  }

  /** Sends a batch after the ends of earlier ones, whose replies come before its own. */
  private void sendWithEnds() throws IOException {
    expected.add(ended);
    ended = 0;
    send();
  }

  private void confirm(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      ok();
    }
  }

  private void begin(int arguments, String name, int key) {
    header('*', arguments);
    bulk(name);
    bulk("key" + key);
  }

  private void keys(String name, int first, int count) {
    header('*', 1 + count);
    bulk(name);
    for (int i = first; i < first + count; i++) {
      bulk("key" + i);
    }
  }

  private void bulk(String text) {
    header('$', text.length());
    out.put(text.getBytes(StandardCharsets.US_ASCII)).put(LINE_END);
  }

  private void header(char kind, long number) {
    out.put((byte) kind);
    out.put(Long.toString(number).getBytes(StandardCharsets.US_ASCII)).put(LINE_END);
  }

  private void send() throws IOException {
    out.flip();
    while (out.hasRemaining()) {
      channel.write(out);
    }
    out.clear();
  }

  private void ranges() throws IOException {
    int count = (int) number('*');
    for (int i = 0; i < count; i++) {
      expect('*', 2);
      pairs[2 * i] = number(':');
      pairs[2 * i + 1] = number(':');
    }
  }

  private void ok() throws IOException {
    String reply = text();
    if (!reply.equals("+OK")) {
      throw new IOException(reply);
    }
  }

  private void expect(char kind, long number) throws IOException {
    long found = number(kind);
    if (found != number) {
      throw new IOException("expected '%d', got '%d'".formatted(number, found));
    }
  }

  /** Reads a number without a text, because replies of batches have many. */
  private long number(char kind) throws IOException {
    byte first = next();
    if (first != kind) {
      throw new IOException((char) first + text());
    }
    long number = 0;
    for (byte digit = next(); digit != '\r'; digit = next()) {
      if (digit < '0' || digit > '9') {
        throw new IOException("'%c' in a number".formatted(digit));
      }
      number = 10 * number + digit - '0';
    }
    next();
    return number;
  }

  private String text() throws IOException {
    int length = 0;
    for (byte next = next(); next != '\n'; next = next()) {
      line[length++] = next;
    }
    return new String(line, 0, length - 1, StandardCharsets.US_ASCII);
  }

  private byte next() throws IOException {
    while (!in.hasRemaining()) {
      receive();
    }
    return in.get();
  }

  private void fill(ByteBuffer target) throws IOException {
    int buffered = Math.min(in.remaining(), target.remaining());
    target.put(0, in, in.position(), buffered).position(buffered);
    in.position(in.position() + buffered);
    while (target.hasRemaining()) {
      if (channel.read(target) < 0) {
        throw new IOException("the server closed the connection");
      }
    }
  }

  private void receive() throws IOException {
    in.clear();
    if (channel.read(in) < 0) {
      throw new IOException("the server closed the connection");
    }
    in.flip();
  }
}
