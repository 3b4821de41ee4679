package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Puts values and reads them back until the server goes away. What it was answered was right, and
 * the connection ended between two answers.
 */
final class LoadedClient implements Callable<Long> {

  private static final int VALUE_BYTES = 100_000;
  private static final int KEYS = 400;

  /** The value of each key begins one byte later. */
  private static final byte[] BYTES = new byte[KEYS + VALUE_BYTES];

  static {
    new Random(1).nextBytes(BYTES);
  }

  private final int port;
  private final Random random;
  private final AtomicLong answers;

  LoadedClient(int port, int seed, AtomicLong answers) {
    this.port = port;
    this.answers = answers;
    random = new Random(seed);
  }

  /** How many answers it got. */
  @Override
  public Long call() throws IOException {
    long count = 0;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(120_000);
      InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
      while (ask(socket, in)) {
        count++;
        answers.incrementAndGet();
      }
    }
    return count;
  }

  /** One command; false if the server had gone before it began to answer. */
  private boolean ask(Socket socket, InputStream in) throws IOException {
    int key = random.nextInt(KEYS);
    boolean get = random.nextBoolean();
    int first;
    try {
      socket.getOutputStream().write(get ? get(key) : set(key));
      first = in.read();
    } catch (IOException gone) {
      return false;
    }
    if (first < 0) {
      return false;
    }
    String line = (char) first + line(in);
    if (!get) {
      assertThat(line).isEqualTo("+OK");
    } else if (!line.equals("$-1")) {
      assertThat(line).isEqualTo("$" + VALUE_BYTES);
      byte[] value = in.readNBytes(VALUE_BYTES + 2);
      assertThat(Arrays.copyOf(value, VALUE_BYTES)).isEqualTo(value(key));
    }
    return true;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      assertThat(c).as("an answer is cut off behind '%s'", line).isNotNegative();
      line.append((char) c);
    }
    assertThat(in.read()).isEqualTo('\n');
    return line.toString();
  }

  private static byte[] get(int key) {
    return "*2\r\n$3\r\nGET\r\n$4\r\n%04d\r\n".formatted(key).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] set(int key) {
    byte[] head =
        "*3\r\n$3\r\nSET\r\n$4\r\n%04d\r\n$%d\r\n"
            .formatted(key, VALUE_BYTES)
            .getBytes(StandardCharsets.US_ASCII);
    byte[] all = Arrays.copyOf(head, head.length + VALUE_BYTES + 2);
    System.arraycopy(value(key), 0, all, head.length, VALUE_BYTES);
    all[all.length - 2] = '\r';
    all[all.length - 1] = '\n';
    return all;
  }

  private static byte[] value(int key) {
    return Arrays.copyOfRange(BYTES, key, key + VALUE_BYTES);
  }
}
