package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.config.Configs;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.infinispan.factories.GlobalComponentRegistry;
import org.infinispan.remoting.transport.Transport;
import org.infinispan.remoting.transport.jgroups.JGroupsTransport;
import org.jgroups.JChannel;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.TP;
import org.jgroups.stack.ProtocolStack;

/** Nodes of one cluster in this process, on loopback ports. */
final class Nodes implements AutoCloseable {

  private final Path home;
  private final String settings;
  private final int[] ports;
  private final Map<String, InfinispanCluster> running = new LinkedHashMap<>();

  private final List<Process> processes = new ArrayList<>();

  /**
   * Creates a cluster that has no nodes yet.
   *
   * @param settings more lines of {@code ebb.cluster}
   */
  Nodes(Path home, String settings) {
    this.home = home;
    this.settings = settings;
    this.ports =
        new int[] {FreePort.any(), FreePort.any(), FreePort.any(), FreePort.any(), FreePort.any()};
  }

  /** Starts nodes; they are called {@code n0}, {@code n1} ..., each on a rack of its own. */
  Nodes start(int count) {
    for (int i = 0; i < count; i++) {
      start("n" + i);
    }
    awaitMembers(running.size());
    return this;
  }

  InfinispanCluster start(String name) {
    int port = ports[Character.digit(name.charAt(name.length() - 1), 10)];
    InfinispanCluster node = InfinispanCluster.start(config(port, "rack-" + name), node(name));
    running.put(name, node);
    return node;
  }

  ClusterConfig config(int port, String rack) {
    return config(port, rack, ports[0], ports[1], ports[2]);
  }

  ClusterConfig config(int port, String rack, int... seedPorts) {
    String seeds =
        IntStream.of(seedPorts)
            .mapToObj("\"127.0.0.1:%d\""::formatted)
            .collect(Collectors.joining(", "));
    String text =
        "ebb.cluster { enabled = true, port = %d, rack = \"%s\", seeds = [%s]\n%s }"
            .formatted(port, rack, seeds, settings);
    return Configs.of(folder(), text).orThrow().cluster();
  }

  private Path folder() {
    try {
      return Files.createTempDirectory(home, "node");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Starts a node in a process of its own. */
  Process startProcess(String name) throws IOException {
    Path folder = folder();
    int port = ports[Character.digit(name.charAt(name.length() - 1), 10)];
    Configs.file(
        folder,
        "ebb.cluster { enabled = true, port = %d, rack = \"rack-%s\", seeds = [\"127.0.0.1:%d\"]\n%s }"
            .formatted(port, name, ports[0], settings));
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                NodeMain.class.getName(),
                folder.toString(),
                name)
            .inheritIO()
            .redirectInput(ProcessBuilder.Redirect.PIPE)
            .start();
    processes.add(process);
    return process;
  }

  static Node node(String name) {
    return new Node(
        name,
        Node.idOf(name),
        "rack",
        "zone",
        "127.0.0.1",
        1,
        "127.0.0.1:2",
        "",
        NodeState.ACTIVE,
        1,
        0,
        1,
        0,
        0,
        1,
        0,
        "");
  }

  InfinispanCluster get(int index) {
    return get("n" + index);
  }

  InfinispanCluster get(String name) {
    InfinispanCluster node = running.get(name);
    if (node == null) {
      throw new AssertionError("node '%s' does not run".formatted(name));
    }
    return node;
  }

  int port(int index) {
    return ports[index];
  }

  void stop(String name) {
    get(name).close();
    running.remove(name);
  }

  /** Drops all messages from and to some nodes, also between them. */
  void partition(int... indexes) {
    for (InfinispanCluster node : running.values()) {
      ProtocolStack stack = stack(node);
      stack.findProtocol(FD_ALL3.class).setValue("timeout", 1_500L).setValue("interval", 300L);
      DISCARD discard = new DISCARD();
      for (int index : indexes) {
        if (node == get(index)) {
          discard.discardAll(true);
        } else {
          discard.addIgnoreMember(channel(get(index)).getAddress());
        }
      }
      try {
        stack.insertProtocol(discard, ProtocolStack.Position.ABOVE, TP.class);
      } catch (Exception failed) {
        throw new AssertionError(failed);
      }
    }
  }

  void heal() {
    running.values().forEach(node -> stack(node).removeProtocol(DISCARD.class));
  }

  private static ProtocolStack stack(InfinispanCluster node) {
    return channel(node).getProtocolStack();
  }

  private static JChannel channel(InfinispanCluster node) {
    return ((JGroupsTransport) GlobalComponentRegistry.componentOf(node.manager(), Transport.class))
        .getChannel();
  }

  /** Waits until all nodes see this many, and the directory is on all owners. */
  void awaitMembers(int count) {
    for (InfinispanCluster node : running.values()) {
      Awaiting.until(() -> node.membership().nodes().size() == count);
      Awaiting.until(node::replicated);
    }
  }

  @Override
  public void close() {
    heal();
    processes.forEach(Process::destroyForcibly);
    running.values().forEach(InfinispanCluster::close);
  }
}
