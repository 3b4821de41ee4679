package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operators' commands, on three processes on three racks. */
class ClusterOperationsIT {

  private static final int NODES = 3;
  private static final int VALUES = 20;
  private static final int TRIES = 100;
  private static final String VALUE = "v".repeat(10_000);

  @TempDir private Path directory;

  /** The ports of one node. */
  private record Ports(int resp, int admin, int members, int values) {}

  private final List<Ports> ports = new ArrayList<>();
  private final List<Ebb> nodes = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  @Test
  void aNodeIsDrainedAndStoppedWithoutALoss() throws IOException, InterruptedException {
    try {
      for (int node = 0; node < NODES; node++) {
        ports.add(freePorts());
      }
      // The first node starts the cluster, and the others join it.
      start(0);
      until(0, "cluster       prod, 1 node,");
      start(1);
      start(2);
      until(1, "this node     host-1, ");
      until(0, "cluster       prod, 3 nodes");

      for (int i = 0; i < VALUES; i++) {
        assertThat(call(1, "SET", "key-" + i, VALUE)).isEqualTo("+OK");
      }
      assertThat(ebb(0, "cluster", "nodes"))
          .containsPattern("(?m)^\\* +host-0 +active +default +rack-0 ")
          .containsPattern("(?m)^ +host-2 +active +default +rack-2 ");
      assertThat(ebb(0, "cluster", "values", "key-0")).containsPattern(" host-1 .* key-0\n");

      assertThat(ebb(0, "cluster", "drain", "host-1", "--wait")).contains("'host-1' is drained");
      processes.get(1).destroy();
      assertThat(processes.get(1).waitFor(30, TimeUnit.SECONDS)).isTrue();
      until(0, "cluster       prod, 2 nodes");
      for (int i = 0; i < VALUES; i++) {
        assertThat(call(i % 2 * 2, "STRLEN", "key-" + i)).isEqualTo(":" + VALUE.length());
      }
      assertThat(ebb(0, "pool", "migrate", "key-3", "--target-node", "host-2", "--wait"))
          .contains("is done: 1 value");
      assertThat(call(0, "GET", "key-3")).isEqualTo("$" + VALUE.length());
    } finally {
      processes.forEach(Process::destroy);
      for (Process process : processes) {
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private void start(int node) throws IOException {
    Path home = Files.createDirectory(directory.resolve("host-" + node));
    Ports own = ports.get(node);
    Ebb ebb =
        new Ebb(home)
            .configured(
                """
                ebb {
                  pool { size = 32 MiB, device = host }
                  server.port = %d
                  admin.port = %d
                  cluster {
                    enabled = true
                    name = prod
                    node = host-%d
                    rack = rack-%d
                    port = %d
                    transfer-port = %d
                    seeds = ["127.0.0.1:%d"]
                  }
                }
                """
                    .formatted(
                        own.resp,
                        own.admin,
                        node,
                        node,
                        own.members,
                        own.values,
                        ports.getFirst().members));
    nodes.add(ebb);
    processes.add(ebb.start("serve"));
  }

  private String ebb(int node, String... command) {
    Ebb.Run run = nodes.get(node).run(command);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  private void until(int node, String expected) throws InterruptedException {
    Ebb.Run run = nodes.get(node).run("cluster", "status");
    for (int i = 0; i < TRIES && !run.out().contains(expected); i++) {
      assertThat(processes.get(node).waitFor(200, TimeUnit.MILLISECONDS))
          .as("it has ended")
          .isFalse();
      run = nodes.get(node).run("cluster", "status");
    }
    assertThat(run.out()).as(run.err()).contains(expected);
  }

  /** Sends a command to a node, and returns the first line of its reply. */
  private String call(int node, String... words) throws IOException {
    StringBuilder command = new StringBuilder("*%d\r\n".formatted(words.length));
    for (String word : words) {
      command.append("$%d\r\n%s\r\n".formatted(word.length(), word));
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports.get(node).resp())) {
      socket.getOutputStream().write(command.toString().getBytes(StandardCharsets.US_ASCII));
      StringBuilder line = new StringBuilder();
      for (int c = socket.getInputStream().read(); c != '\r' && c >= 0; ) {
        line.append((char) c);
        c = socket.getInputStream().read();
      }
      return line.toString();
    }
  }

  private static Ports freePorts() {
    List<Integer> free = NodeNetwork.freePorts(4);
    return new Ports(free.get(0), free.get(1), free.get(2), free.get(3));
  }
}
