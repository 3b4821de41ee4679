package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A client that knows what each of its keys holds if it holds anything. */
final class CheckingClient {

  private static final int KEYS = 400;
  private static final int LARGEST = 60_000;

  private final InputStream in;
  private final OutputStream out;
  private final int[] versions = new int[KEYS];

  private CheckingClient(Socket socket) throws IOException {
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** Runs until it is stopped, and answers how many values it found. */
  static CompletableFuture<Long> start(int port, AtomicBoolean stopped) {
    // Not in the common pool: on two cores it has one thread, which other tests may use as well.
    Executor own = task -> Thread.ofPlatform().daemon().start(task);
    Supplier<Long> client =
        () -> {
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            return new CheckingClient(socket).run(stopped);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    return CompletableFuture.supplyAsync(client, own);
  }

  private long run(AtomicBoolean stopped) throws IOException {
    Random random = new Random(1);
    long found = 0;
    while (!stopped.get()) {
      int key = random.nextInt(KEYS);
      if (random.nextInt(3) == 0) {
        versions[key]++;
        send("SET", "key" + key, value(key, random.nextInt(LARGEST)));
        assertThat(line()).isEqualTo("+OK");
      } else {
        send("GET", "key" + key);
        found += check(key) ? 1 : 0;
      }
      // The server needs the processor as well: some hundred commands a second.
      ClusterProcesses.sleep(2);
    }
    return found;
  }

  private boolean check(int key) throws IOException {
    String head = line();
    assertThat(head).startsWith("$");
    int length = Integer.parseInt(head.substring(1));
    if (length < 0) {
      return false;
    }
    String value = new String(in.readNBytes(length), StandardCharsets.US_ASCII);
    assertThat(line()).isEmpty();
    assertThat(value).startsWith("%d:%d:".formatted(key, versions[key]));
    return true;
  }

  private byte[] value(int key, int length) {
    return ("%d:%d:".formatted(key, versions[key]) + "x".repeat(length))
        .getBytes(StandardCharsets.US_ASCII);
  }

  private void send(String command, Object... arguments) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    text.writeBytes(ascii("*" + (arguments.length + 1) + "\r\n"));
    word(text, ascii(command));
    for (Object each : arguments) {
      word(text, each instanceof byte[] bytes ? bytes : ascii(String.valueOf(each)));
    }
    out.write(text.toByteArray());
  }

  private static void word(ByteArrayOutputStream text, byte[] word) {
    text.writeBytes(ascii("$" + word.length + "\r\n"));
    text.writeBytes(word);
    text.writeBytes(ascii("\r\n"));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    int next = in.read();
    while (next != '\r') {
      assertThat(next).as("the connection stays open").isNotNegative();
      line.append((char) next);
      next = in.read();
    }
    in.read();
    return line.toString();
  }
}
