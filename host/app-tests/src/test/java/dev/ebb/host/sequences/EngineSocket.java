package dev.ebb.host.sequences;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** An engine in another process, as the server sees it: a socket, and a mapping of the memory. */
final class EngineSocket implements AutoCloseable {

  private final SocketChannel socket;
  private final InputStream in;
  private @Nullable ByteBuffer memory;
  private int blockBytes;
  private int blocks;

  /** A refused command. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused(String reply) {
      super(reply);
    }
  }

  EngineSocket(Path path) throws IOException {
    socket = SocketChannel.open(UnixDomainSocketAddress.of(path));
    in = new BufferedInputStream(Channels.newInputStream(socket));
  }

  /** Sends EBB.SEQ with words, numbers, and lists of tokens, and returns the reply. */
  @SuppressWarnings("unchecked")
  <T> T call(Object... words) throws IOException {
    ByteArrayOutputStream command = new ByteArrayOutputStream();
    command.writeBytes(("*%d\r\n$7\r\nEBB.SEQ\r\n".formatted(words.length + 1)).getBytes(UTF_8));
    for (Object word : words) {
      byte[] bytes =
          word instanceof List<?> tokens ? tokens(tokens) : word.toString().getBytes(UTF_8);
      command.writeBytes("$%d\r\n".formatted(bytes.length).getBytes(UTF_8));
      command.writeBytes(bytes);
      command.writeBytes("\r\n".getBytes(UTF_8));
    }
    ByteBuffer out = ByteBuffer.wrap(command.toByteArray());
    while (out.hasRemaining()) {
      socket.write(out);
    }
    return (T) reply();
  }

  private static byte[] tokens(List<?> tokens) {
    ByteBuffer bytes = ByteBuffer.allocate(tokens.size() * 4).order(ByteOrder.LITTLE_ENDIAN);
    tokens.forEach(token -> bytes.putInt((Integer) token));
    return bytes.array();
  }

  private Object reply() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> throw new Refused(rest);
      case ':' -> Long.valueOf(rest);
      case '*' -> {
        List<Object> all = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(rest); i++) {
          all.add(reply());
        }
        yield all;
      }
      default -> {
        String text = new String(in.readNBytes(Integer.parseInt(rest)), UTF_8);
        line();
        yield text;
      }
    };
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server closed the connection");
      }
      line.append((char) next);
    }
    return line.substring(0, line.length() - 1);
  }

  /** Maps the memory that MODEL has named. */
  void map(List<?> place) throws IOException {
    blockBytes = ((Long) place.get(2)).intValue();
    blocks = ((Long) place.get(3)).intValue();
    try (FileChannel file =
        FileChannel.open(
            Path.of((String) place.get(0)), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory =
          file.map(FileChannel.MapMode.READ_WRITE, (Long) place.get(1), (long) blocks * blockBytes);
    }
  }

  int blocks() {
    return blocks;
  }

  /** Writes the K of the last lane of a row. */
  void put(int block, int row, int value) {
    requireNonNull(memory).putInt(offset(block, row), value);
  }

  int get(int block, int row) {
    return requireNonNull(memory).getInt(offset(block, row));
  }

  private int offset(int block, int row) {
    return block * blockBytes + blockBytes * 3 / 4 + row * Float.BYTES;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** Returns tokens that often begin like others. */
  static List<Integer> tokens(Random random, int count) {
    List<Integer> tokens = new ArrayList<>();
    int second = random.nextInt(2);
    for (int i = 0; i < count; i++) {
      tokens.add(i < 16 ? second : random.nextInt(3));
    }
    return tokens;
  }
}
