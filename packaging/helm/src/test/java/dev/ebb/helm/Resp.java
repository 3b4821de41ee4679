package dev.ebb.helm;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A client of a pod. */
final class Resp implements AutoCloseable {

  private final SocketChannel channel;
  private final InputStream in;

  Resp(SocketAddress address) throws IOException {
    channel = SocketChannel.open(address);
    in = new BufferedInputStream(Channels.newInputStream(channel));
  }

  /** Returns a reply; null for none. */
  @Nullable String call(String... words) throws IOException {
    ByteArrayOutputStream command = new ByteArrayOutputStream();
    command.writeBytes(bytes("*" + words.length + "\r\n"));
    for (String word : words) {
      command.writeBytes(bytes("$" + bytes(word).length + "\r\n" + word + "\r\n"));
    }
    Channels.newOutputStream(channel).write(command.toByteArray());
    String head = line();
    if (head.startsWith("-")) {
      throw new IOException(head);
    }
    if (!head.startsWith("$")) {
      return head;
    }
    int length = Integer.parseInt(head.substring(1));
    if (length < 0) {
      return null;
    }
    String value = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    line();
    return value;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("the connection was closed");
      }
      line.append((char) next);
    }
    return line.toString().strip();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
