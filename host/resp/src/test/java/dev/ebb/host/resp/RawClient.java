package dev.ebb.host.resp;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Sends bytes and reads whole replies as bytes, knowing nothing of either. */
final class RawClient implements AutoCloseable {

  private final Closeable socket;
  private final InputStream in;
  private final OutputStream out;

  RawClient(int port) throws IOException {
    Socket tcp = new Socket(InetAddress.getLoopbackAddress(), port);
    tcp.setSoTimeout(20_000);
    tcp.setTcpNoDelay(true);
    socket = tcp;
    in = new BufferedInputStream(tcp.getInputStream(), 1 << 16);
    out = tcp.getOutputStream();
  }

  RawClient(Path unixSocket) throws IOException {
    SocketChannel unix = SocketChannel.open(UnixDomainSocketAddress.of(unixSocket));
    socket = unix;
    in = new BufferedInputStream(Channels.newInputStream(unix), 1 << 16);
    out = Channels.newOutputStream(unix);
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  void send(String... words) throws IOException {
    send(command(words));
  }

  /** One command, and its reply. */
  String call(String... words) throws IOException {
    send(words);
    return reply();
  }

  static byte[] command(String... words) {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  String reply() throws IOException {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    one(whole);
    return whole.toString(StandardCharsets.ISO_8859_1);
  }

  /** Whether the server has closed the connection. */
  boolean closed() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketTimeoutException open) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  private void one(ByteArrayOutputStream whole) throws IOException {
    String line = line(whole);
    int count = "$=*~%".indexOf(line.charAt(0)) >= 0 ? Integer.parseInt(line.substring(1)) : 0;
    switch (line.charAt(0)) {
      case '$', '=' -> {
        if (count >= 0) {
          byte[] bytes = in.readNBytes(count + 2);
          if (bytes.length < count + 2) {
            throw new EOFException();
          }
          whole.writeBytes(bytes);
        }
      }
      case '*', '~' -> {
        for (int i = 0; i < count; i++) {
          one(whole);
        }
      }
      case '%' -> {
        for (int i = 0; i < 2 * count; i++) {
          one(whole);
        }
      }
      default -> {}
    }
  }

  private String line(ByteArrayOutputStream whole) throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int c = in.read();
      if (c < 0) {
        throw new EOFException("after '" + line + "'");
      }
      whole.write(c);
      if (c == '\n') {
        return line.toString();
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
