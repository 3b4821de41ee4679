package dev.ebb.host.resp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

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

  /** Returns where a value lies, as PLACE and LEASE reply. */
  static List<Range> ranges(String reply) {
    if (!reply.startsWith("*")) {
      throw new IllegalArgumentException(reply);
    }
    List<String> lines = reply.lines().toList();
    List<Range> ranges = new ArrayList<>();
    for (int at = 1; at < lines.size(); at += 3) {
      ranges.add(
          new Range(
              Long.parseLong(lines.get(at + 1).substring(1)),
              Integer.parseInt(lines.get(at + 2).substring(1))));
    }
    return ranges;
  }

  List<Range> place(String key, int bytes) throws IOException {
    return ranges(client.call("EBB.PLACE", key, "" + bytes));
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
