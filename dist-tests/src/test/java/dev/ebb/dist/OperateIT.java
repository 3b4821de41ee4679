package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that serves, and beside it the command line that looks at it and changes it. */
class OperateIT {

  private static final int TRIES = 1_200;

  @TempDir private Path directory;

  @Test
  void aRunningProcessIsOperated() throws IOException, InterruptedException {
    List<Integer> ports = NodeNetwork.freePorts(2);
    int port = ports.getFirst();
    int adminPort = ports.getLast();
    Ebb ebb =
        new Ebb(directory)
            .configured(
                """
                ebb {
                  pool.size = 16 MiB
                  server.port = %d
                  admin { port = %d, token = s3cret }
                }
                """
                    .formatted(port, adminPort));
    assertThat(ebb.run("config", "check").out()).contains("which is free").doesNotContain("wrong");

    Process serving = ebb.start("serve");
    try {
      assertThat(stats(ebb, adminPort, serving).out()).containsPattern("(?m)^policy +lru$");
      set(port, "greeting");

      assertThat(ebb.run("keys").out()).containsPattern("(?m) greeting$");
      assertThat(ebb.run("policy", "set", "sieve").out()).contains("'sieve' is active");
      assertThat(ebb.run("policy", "list").out()).containsPattern("(?m)^\\* +sieve +");
      assertThat(ebb.run("pin", "greeting", "--for", "10m").out()).startsWith("pinned 'greeting'");
      assertThat(ebb.run("evict", "--to", "0").out()).contains("evicted 0 entries");
      assertThat(ebb.run("unpin", "greeting").exitCode()).isZero();
      assertThat(ebb.run("evict", "--to", "0").out()).contains("evicted 1 entry");
      assertThat(ebb.run("stats", "--json").json().at("/policy/name").asString())
          .isEqualTo("sieve");
      assertThat(ebb.run("config", "check").out()).containsPattern("(?m)^warning +server ");
      assertNoClassOfTheCluster(serving);
    } finally {
      serving.destroy();
      assertThat(serving.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    Ebb.Run gone = ebb.run("stats");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.err()).startsWith("ebb: no Ebb listens at 'http://127.0.0.1:");
  }

  /** The first screen, as soon as there is one. */
  private static Ebb.Run stats(Ebb ebb, int port, Process serving) throws InterruptedException {
    for (int i = 0; i < TRIES && !listens(port); i++) {
      assertThat(serving.waitFor(50, TimeUnit.MILLISECONDS)).as("it has ended").isFalse();
    }
    Ebb.Run run = ebb.run("stats");
    assertThat(run.err()).isEmpty();
    return run;
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** A node without a cluster does not pay for one. */
  private void assertNoClassOfTheCluster(Process serving) {
    String classes =
        Shell.run(
            directory,
            Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
            Long.toString(serving.pid()),
            "VM.class_hierarchy");
    // The start-up cache has exceptions that classes of the host catch.
    assertThat(classes)
        .contains("dev.ebb.host")
        .doesNotContain(
            "org.infinispan",
            "org.jgroups",
            "dev.ebb.host.transfer.TransferClient",
            "dev.ebb.host.transfer.TransferServer");
  }

  private static void set(int port, String key) throws IOException {
    String command = "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$5\r\nhello\r\n".formatted(key.length(), key);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().readNBytes(5))
          .isEqualTo("+OK\r\n".getBytes(StandardCharsets.US_ASCII));
    }
  }
}
