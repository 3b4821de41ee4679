package dev.ebb.dist;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The processes of a cluster on this machine. */
final class ClusterProcesses implements AutoCloseable {

  private static final int LIMIT_SECONDS = 180;
  private static final int PAUSE_MILLIS = 150;

  private final Path folder;
  private final NodeNetwork network;
  private final List<EbbProcess> nodes = new ArrayList<>();
  private final List<String> seeds = new ArrayList<>();

  ClusterProcesses(Path folder, NodeNetwork network) {
    this.folder = folder;
    this.network = network;
  }

  /**
   * Adds a node, and starts it.
   *
   * @param extra more lines of its configuration
   */
  EbbProcess add(String name, String rack, String extra, Map<String, String> environment)
      throws IOException {
    return add(name, rack, extra, environment, Ebb.launcher());
  }

  /** Adds a node of another release, and starts it. */
  EbbProcess addOf(String launcher, String name, String rack) throws IOException {
    return add(name, rack, "", Map.of(), launcher);
  }

  private EbbProcess add(
      String name, String rack, String extra, Map<String, String> environment, String launcher)
      throws IOException {
    NodeAddress address = network.connect(name, rack);
    if (seeds.size() < 2) {
      seeds.add(address.member());
    }
    EbbProcess node =
        new EbbProcess(
            name,
            rack,
            address,
            folder.resolve(name),
            () -> configuration(name, rack, address, extra),
            environment);
    node.launchWith(launcher);
    nodes.add(node);
    node.start();
    return node;
  }

  EbbProcess add(String name, String rack, String extra) throws IOException {
    return add(name, rack, extra, Map.of());
  }

  private String configuration(String name, String rack, NodeAddress address, String extra) {
    return """
    ebb {
      pool.size = 128 MiB
      server { bind = "%2$s", port = %3$d, password = "%1$s", threads = 2 }
      admin { enabled = true, bind = "%2$s", port = %4$d, token = "%1$s" }
      cluster {
        enabled = true, node = "%5$s", rack = "%6$s", secret = "%1$s"
        bind = "%7$s", port = %8$d, transfer-port = %9$d
        seeds = [%10$s]
      }
      %11$s
    }
    """
        .formatted(
            EbbProcess.PASSWORD,
            address.clientHost(),
            address.respPort(),
            address.adminPort(),
            name,
            rack,
            address.host(),
            address.port(),
            address.transferPort(),
            seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", ")),
            extra);
  }

  List<EbbProcess> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the nodes that are alive and not paused. */
  List<EbbProcess> running() {
    return nodes.stream().filter(EbbProcess::runs).toList();
  }

  List<EbbProcess> rack(String rack) {
    return nodes.stream().filter(node -> node.rack.equals(rack)).toList();
  }

  /** Waits until all running nodes serve, and see each other and no other node. */
  void awaitMembers() {
    awaitMembers(running());
  }

  /** Waits until some nodes serve, and see each other and no other node. */
  void awaitMembers(Collection<EbbProcess> expected) {
    await(
        "the nodes see each other",
        () ->
            expected.stream().allMatch(node -> node.serves() && members(node) == expected.size()));
  }

  /** Returns how many nodes a node sees; 0 if it does not answer. */
  static int members(EbbProcess node) {
    return node.admin("/api/v1/cluster").map(document -> document.path("nodes").asInt()).orElse(0);
  }

  /** Waits until the directory knows all values of the running nodes. */
  void awaitAnnounced() {
    await(
        "the directory knows all values",
        () -> running().stream().allMatch(node -> stat(node, "announcements") == 0));
  }

  /** Waits until the running nodes report that nothing is left to replicate. */
  void awaitReplicated() {
    int[] quiet = {0};
    await(
        "all values are replicated",
        () -> {
          quiet[0] = running().stream().allMatch(ClusterProcesses::isReplicated) ? quiet[0] + 1 : 0;
          return quiet[0] == 3;
        });
  }

  private static boolean isReplicated(EbbProcess node) {
    return node.admin("/api/v1/cluster")
        .map(document -> document.path("stats"))
        .filter(stats ->
            Stream.of("pendingReplications", "underReplicated", "announcements")
                .allMatch(name -> stats.path(name).asLong(-1) == 0))
        .isPresent();
  }

  /** Returns how many live nodes have a copy of a value, as a node sees it. */
  long copies(EbbProcess asked, String key) {
    List<String> live = running().stream().map(node -> node.name).toList();
    return asked
        .admin(path(key))
        .map(place ->
            Stream.concat(Stream.of(place.path("primary")), place.path("replicas").valueStream())
                .filter(name -> live.contains(name.asString("")))
                .count())
        .orElse(0L);
  }

  private static String path(String key) {
    return "/api/v1/cluster/values?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);
  }

  /** Returns what a node says about the place of a value. */
  String place(EbbProcess asked, String key) {
    return asked.admin(path(key)).map(JsonNode::toString).orElse("none of '%s'".formatted(key));
  }

  /** Returns a statistic of a node; -1 if it does not answer. */
  static long stat(EbbProcess node, String name) {
    return node.admin("/api/v1/cluster")
        .map(document -> document.path("stats").path(name).asLong(-1))
        .orElse(-1L);
  }

  String describe() {
    Function<EbbProcess, String> about =
        node ->
            "%s %s %s"
                .formatted(
                    node,
                    node.runs() ? "runs" : node.alive() ? "paused" : "ended",
                    node.runs()
                        ? node.admin("/api/v1/cluster").map(JsonNode::toString).orElse("no answer")
                        : "");
    return nodes.stream().map(about).collect(Collectors.joining("\n"));
  }

  /** Waits until a condition is true, and fails with the state of all nodes. */
  void await(String what, BooleanSupplier condition) {
    await(() -> what, condition);
  }

  /** Waits until a condition is true, and fails with a description and the state of all nodes. */
  void await(Supplier<String> what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT_SECONDS * 1_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        String outputs =
            nodes.stream()
                .map(node -> node + ":\n" + node.output())
                .collect(Collectors.joining("\n"));
        throw new AssertionError(
            "not within %d s: %s\n%s\n%s"
                .formatted(LIMIT_SECONDS, what.get(), describe(), outputs));
      }
      // Each question takes time of the processors that the nodes need.
      sleep(PAUSE_MILLIS);
    }
  }

  /** Lets time pass: for a fault that lasts, or between two questions. */
  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    nodes.forEach(EbbProcess::kill);
    network.close();
  }
}
