package dev.ebb.host.resp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client that maps the pool's file and moves values itself. */
final class SharedMemoryClient implements AutoCloseable {

  /** Contiguous bytes in the file. */
  record Range(long offset, int length) {}

  final RawClient client;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  SharedMemoryClient(Path socket) throws IOException {
    client = new RawClient(socket);
    List<String> file = client.call("EBB.MAP").lines().toList();
    try (FileChannel channel =
        FileChannel.open(Path.of(file.get(2)), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long bytes = Long.parseLong(file.get(3).substring(1));
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
    }
  }

  /** Returns where one value lies, as PLACE and LEASE reply for one key. */
  static List<Range> ranges(String reply) {
    List<@Nullable List<Range>> values = values(reply);
    if (values.size() != 1 || values.getFirst() == null) {
      throw new IllegalArgumentException(reply);
    }
    return values.getFirst();
  }

  /** Returns where each value lies; null for a value that is missing or has no room. */
  static List<@Nullable List<Range>> values(String reply) {
    Iterator<String> lines = reply.lines().iterator();
    List<@Nullable List<Range>> values = new ArrayList<>();
    for (long value = number('*', lines.next()); value > 0; value--) {
      String line = lines.next();
      values.add(line.equals("$-1") || line.startsWith("-OOM") ? null : ranges(line, lines));
    }
    return values;
  }

  private static List<Range> ranges(String header, Iterator<String> lines) {
    List<Range> ranges = new ArrayList<>();
    for (long range = number('*', header); range > 0; range--) {
      number('*', lines.next());
      long offset = number(':', lines.next());
      ranges.add(new Range(offset, (int) number(':', lines.next())));
    }
    return ranges;
  }

  private static long number(char kind, String line) {
    if (line.charAt(0) != kind) {
      throw new IllegalArgumentException(line);
    }
    return Long.parseLong(line, 1, line.length(), 10);
  }

  List<Range> place(String key, int bytes) throws IOException {
    return ranges(client.call("EBB.PLACE", "KEYS", key, "" + bytes));
  }

  void put(String key, byte[] value) throws IOException {
    write(place(key, value.length), value);
    String reply = client.call("EBB.COMMIT", key);
    if (!reply.equals("+OK\r\n")) {
      throw new IOException(reply);
    }
  }

  void write(List<Range> ranges, byte[] value) {
    int at = 0;
    for (Range range : ranges) {
      MemorySegment.copy(value, at, memory, ValueLayout.JAVA_BYTE, range.offset(), range.length());
      at += range.length();
    }
  }

  byte[] read(List<Range> ranges) {
    byte[] value = new byte[ranges.stream().mapToInt(Range::length).sum()];
    int at = 0;
    for (Range range : ranges) {
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, range.offset(), value, at, range.length());
      at += range.length();
    }
    return value;
  }

  @Override
  public void close() throws IOException {
    client.close();
    arena.close();
  }
}
