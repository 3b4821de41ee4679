package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cli.serve.OutOfMemory;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.JavaProcess;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/** A serving process whose heap is small beside its pool, started without the launcher. */
class ServeMemoryTest {

  private static final Pattern PORT = Pattern.compile("serving RESP on 127\\.0\\.0\\.1:(\\d+)");
  private static final int TIMEOUT_MILLIS = 60_000;

  @TempDir private Path home;
  private Process process;
  private int port;
  private Jedis client;

  @BeforeEach
  void serve() throws IOException {
    PluginJarBuilder.plugin("acme").policy("first").writeTo(Configs.plugins(home), "acme.jar");
    Path file =
        Configs.file(
            home,
            """
            ebb.pool.size = 256 MiB
            ebb.server.port = 0
            # No limit: commands of clients may take all of the heap.
            ebb.server.client-memory = "100 %%"
            ebb.admin.enabled = false
            ebb.eviction.policy = first
            ebb.plugins.folder = "%s"
            ebb.plugins.run = "%s"
            """
                .formatted(home.resolve("plugins"), home.resolve("run")));
    process =
        JavaProcess.of(
                List.of("-Xmx96m", "-XX:+UseParallelGC"),
                EbbMain.class,
                "serve",
                "--config",
                file.toString())
            .redirectError(home.resolve("err").toFile())
            .start();
    port = port(process.inputReader());
    client = new Jedis("127.0.0.1", port, TIMEOUT_MILLIS);
  }

  private static int port(BufferedReader out) throws IOException {
    String line = out.readLine();
    Matcher matcher = PORT.matcher(String.valueOf(line));
    assertThat(matcher.find()).as(line).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  @AfterEach
  void end() throws InterruptedException {
    client.close();
    process.destroyForcibly().waitFor();
  }

  @Test
  void farMoreSmallValuesThanTheHeapHoldsAreEvicted() {
    // The pool has room for 262,144 of them, of which the heap would hold some 200,000.
    for (int i = 0; i < 250; i++) {
      Pipeline pipeline = client.pipelined();
      for (int j = 0; j < 1_000; j++) {
        pipeline.set("key-" + (i * 1_000 + j), "x");
      }
      pipeline.sync();
    }

    assertThat(client.get("key-249999")).isEqualTo("x");
    assertThat(client.get("key-0")).isNull();
    assertThat(client.dbSize()).isBetween(40_000L, 100_000L);
    process.destroy();
    assertThat(ends()).isEqualTo(143);
  }

  @Test
  void longKeysAreCountedToo() {
    for (int i = 0; i < 200; i++) {
      client.set("%06d".formatted(i) + "k".repeat(1_000_000), "x");
    }

    assertThat(client.ping()).isEqualTo("PONG");
    assertThat(client.dbSize()).isBetween(5L, 60L);
  }

  @Test
  void afterAnOutOfMemoryErrorItEndsWithAStatusThatASupervisorRestartsOn()
      throws IOException, InterruptedException {
    List<Socket> unfinished = new ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        unfinished.add(socket);
        send(socket);
      }
    } catch (IOException itHasEnded) {
      // Its exit status is looked at below.
    }
    assertThat(ends()).isEqualTo(OutOfMemory.EXIT_CODE);
    assertThat(Files.readString(home.resolve("err"), StandardCharsets.UTF_8))
        .contains("ebb: out of memory", "-Xmx", "ebb.pool.size");
    for (Socket socket : unfinished) {
      socket.close();
    }
  }

  /** The arguments of a command are on the heap until the last of them has arrived. */
  private static void send(Socket socket) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write("*32\r\n".getBytes(StandardCharsets.US_ASCII));
    byte[] argument =
        ("$1000000\r\n" + "k".repeat(1_000_000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 31; i++) {
      out.write(argument);
    }
  }

  private int ends() {
    try {
      assertThat(process.waitFor(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).as("it ends").isTrue();
      return process.exitValue();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }
}
