package dev.ebb.dist;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/**
 * Five nodes on three racks, each a process, with faults while checking clients use them. Prints
 * how long the cluster needs to serve and to replicate again. {@code ebb.faults.seconds} is the
 * duration of the random faults, {@code ebb.faults.seed} decides which.
 */
@Tag("stress")
class ClusterFaultsIT {

  private static final List<String> RACKS = List.of("rack-1", "rack-2", "rack-3");
  private static final int NODES = 5;
  private static final int CLIENTS = 10;
  private static final int KEPT = 200;
  private static final int OVERWRITTEN = 20;
  private static final int PAUSE_MILLIS = 20_000;
  @TempDir private Path folder;
  private ClusterProcesses cluster;
  private ClusterLoad load;

  /** Of the values that are overwritten. */
  private long version;

  private RackNetwork network;

  @BeforeEach
  void announce(TestInfo test) {
    System.out.println(test.getDisplayName());
  }

  @AfterEach
  void end() throws InterruptedException {
    if (load != null) {
      load.stop();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start(NodeNetwork nodes, String extra) throws IOException {
    start(nodes, extra, NODES);
  }

  private void start(NodeNetwork nodes, String extra, int count) throws IOException {
    cluster = new ClusterProcesses(folder, nodes);
    for (int i = 0; i < count; i++) {
      cluster.add("n" + (i + 1), RACKS.get(i % RACKS.size()), extra);
      cluster.awaitMembers();
    }
  }

  private void startLoad() {
    load = new ClusterLoad(cluster, CLIENTS);
    ClusterProcesses.sleep(5_000);
  }

  /** Starts the nodes in namespaces, or skips the test where this is impossible. */
  private void startWithRacks(String extra) throws IOException {
    Optional<String> missing = RackNetwork.missing();
    assumeTrue(missing.isEmpty(), () -> "skipped: " + missing.orElse(""));
    network = new RackNetwork(RACKS);
    start(network, extra);
  }

  /** Ends the load, and requires that the nodes agree and no value was wrong. */
  private void check() throws InterruptedException {
    load.stop();
    cluster.awaitMembers();
    cluster.awaitReplicated();
    load.checkConverged();
    System.out.println(load.report());
    assertThat(load.violations).isEmpty();
  }

  /** Stores values that no client overwrites, and waits until each has its replica. */
  private void keep() throws IOException {
    List<EbbProcess> nodes = cluster.running();
    for (int i = 0; i < KEPT; i++) {
      try (RespClient client = nodes.get(i % nodes.size()).client(20_000)) {
        String key = kept(i);
        client.call("SET", key, ClusterLoad.chunkValue(key));
      }
    }
    awaitKeptReplicated();
  }

  /** Waits until each kept value has two copies on live nodes. */
  private void awaitKeptReplicated() {
    List<Integer> missing = new ArrayList<>(IntStream.range(0, KEPT).boxed().toList());
    cluster.await(
        () -> "these values are replicated: " + places(missing),
        () -> {
          missing.removeIf(
              number -> cluster.copies(cluster.running().getFirst(), kept(number)) > 1);
          return missing.isEmpty();
        });
  }

  private String places(List<Integer> numbers) {
    return numbers.stream()
        .limit(4)
        .flatMap(number ->
            cluster.running().stream().map(node -> node + ": " + cluster.place(node, kept(number))))
        .collect(Collectors.joining("\n", numbers.size() + ", such as\n", ""));
  }

  private static String kept(int number) {
    return ClusterLoad.chunk(-1L - number);
  }

  /** Returns how many of these values a node cannot serve. */
  private int lostAt(EbbProcess node) {
    int lost = 0;
    try (RespClient client = node.client(20_000)) {
      for (int i = 0; i < KEPT; i++) {
        byte[] value = client.bytes("GET", kept(i));
        if (value == null) {
          lost++;
        } else {
          assertThat(value).isEqualTo(ClusterLoad.chunkValue(kept(i)));
        }
      }
      return lost;
    } catch (IOException | RespClient.ServerError e) {
      return KEPT;
    }
  }

  /** Measures until all kept values are served, and until all have their replicas again. */
  private int recover(String fault) {
    long before = System.nanoTime();
    EbbProcess reader = cluster.running().getFirst();
    int lost = lostAt(reader);
    int atFirst = lost;
    while (lost > 0 && System.nanoTime() - before < 30_000_000_000L) {
      ClusterProcesses.sleep(100);
      lost = lostAt(reader);
    }
    double serving = (System.nanoTime() - before) / 1e9;
    cluster.awaitMembers();
    double members = (System.nanoTime() - before) / 1e9;
    awaitKeptReplicated();
    double replicated = (System.nanoTime() - before) / 1e9;
    System.out.printf(
        "  %s: %d of %d values missing at first, %d lost; serves all after %.1f s, members agree"
            + " after %.1f s, replicated after %.1f s, longest command of a live node %.2f s%n",
        fault, atFirst, KEPT, lost, serving, members, replicated, load.longestSeconds());
    return lost;
  }

  @Test
  void allNodesStartAtTheSameTime() throws Exception {
    start(NodeNetwork.loopback(), "");
    for (int round = 0; round < 3; round++) {
      cluster.nodes().forEach(EbbProcess::kill);
      long before = System.nanoTime();
      for (EbbProcess node : cluster.nodes()) {
        node.start();
      }
      cluster.awaitMembers();
      System.out.printf("  one cluster after %.1f s%n", (System.nanoTime() - before) / 1e9);
    }
    keep();
    assertThat(lostAt(cluster.nodes().getLast())).isZero();
  }

  private void restartEachNode(String fault, Consumer<EbbProcess> stop) throws Exception {
    for (EbbProcess node : cluster.nodes()) {
      load.longestSeconds();
      stop.accept(node);
      assertThat(recover(fault + " of " + node)).isZero();
      node.start();
      cluster.awaitMembers();
      awaitKeptReplicated();
    }
  }

  @Test
  void killOfEachNode() throws Exception {
    start(NodeNetwork.loopback(), "");
    keep();
    startLoad();
    restartEachNode("kill -9", EbbProcess::kill);
    check();
  }

  @Test
  void killOfEachRack() throws Exception {
    start(NodeNetwork.loopback(), "");
    keep();
    startLoad();
    for (String rack : RACKS) {
      load.longestSeconds();
      for (EbbProcess node : cluster.rack(rack)) {
        node.kill();
      }
      assertThat(recover("kill -9 of " + rack)).isZero();
      for (EbbProcess node : cluster.rack(rack)) {
        node.start();
      }
      cluster.awaitMembers();
      awaitKeptReplicated();
    }
    check();
  }

  @Test
  void pauseOfEachNode() throws Exception {
    pauseEachOf(NODES);
  }

  @Test
  void pauseOfEachOfThreeNodes() throws Exception {
    pauseEachOf(3);
  }

  private void pauseEachOf(int count) throws Exception {
    start(NodeNetwork.loopback(), "", count);
    keep();
    startLoad();
    for (EbbProcess node : cluster.nodes()) {
      load.longestSeconds();
      node.pause();
      long resumeAt = System.nanoTime() + PAUSE_MILLIS * 1_000_000L;
      MembershipWatch watch = new MembershipWatch(cluster.running());
      assertThat(recover("SIGSTOP of " + node)).isZero();
      ClusterProcesses.sleep(Math.max(1, (resumeAt - System.nanoTime()) / 1_000_000));
      assertThat(watch.end()).isEmpty();
      node.resume();
      assertThat(recover("SIGCONT of " + node)).isZero();
    }
    check();
  }

  @Test
  void rollingRestart() throws Exception {
    start(NodeNetwork.loopback(), "");
    keep();
    startLoad();
    restartEachNode("SIGTERM", EbbProcess::terminate);
    check();
  }

  @Test
  void partitionOfARackHeals() throws Exception {
    startWithRacks("");
    keep();
    startLoad();
    for (String rack : RACKS) {
      load.longestSeconds();
      cluster.nodes().forEach(EbbProcess::disturbed);
      network.between().block(rack, true);
      awaitPartition(rack);
      double longest = load.longestSeconds();
      ClusterProcesses.sleep(10_000);
      System.out.printf(
          "  %s is apart; longest command until it was noticed %.1f s, later %.1f s%n",
          rack, longest, load.longestSeconds());
      network.between().block(rack, false);
      cluster.nodes().forEach(EbbProcess::disturbed);
      assertThat(recover("heal of " + rack)).isZero();
    }
    check();
  }

  private void awaitPartition(String rack) {
    List<EbbProcess> apart = cluster.rack(rack);
    List<EbbProcess> others = new ArrayList<>(cluster.nodes());
    others.removeAll(apart);
    cluster.awaitMembers(apart);
    cluster.awaitMembers(others);
  }

  @Test
  void isolationOfEachNodeHeals() throws Exception {
    startWithRacks("");
    keep();
    startLoad();
    for (EbbProcess node : cluster.nodes()) {
      load.longestSeconds();
      cluster.nodes().forEach(EbbProcess::disturbed);
      network.isolate(node.name, true);
      List<EbbProcess> others = new ArrayList<>(cluster.nodes());
      others.remove(node);
      cluster.awaitMembers(others);
      cluster.awaitMembers(List.of(node));
      network.isolate(node.name, false);
      cluster.nodes().forEach(EbbProcess::disturbed);
      assertThat(recover("reconnection of " + node)).isZero();
    }
    check();
  }

  @Test
  void delayAndLossOfARack() throws Exception {
    startWithRacks("");
    keep();
    startLoad();
    for (double loss : new double[] {0, 0.01, 0.05}) {
      load.longestSeconds();
      network.between().disturb("rack-2", 10, loss);
      ClusterProcesses.sleep(20_000);
      System.out.printf(
          "  10 ms and %.0f %% loss: longest command %.2f s%n", 100 * loss, load.longestSeconds());
    }
    network.between().disturb("rack-2", 0, 0);
    assertThat(recover("good links")).isZero();
    check();
  }

  @Test
  void fullDiskOfTheLogs() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "skipped: mounting needs root");
    Path full = Files.createDirectory(folder.resolve("full"));
    Shell.run(folder, "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full.toString());
    try {
      Files.write(full.resolve("filler"), new byte[60_000]);
      cluster = new ClusterProcesses(folder, NodeNetwork.loopback());
      for (int i = 0; i < 5; i++) {
        cluster.add(
            "n" + (i + 1),
            RACKS.get(i % RACKS.size()),
            "pool.size = 16 MiB, eviction { log = true, log-file = \"%s\" }"
                .formatted(full.resolve("n%d.log".formatted(i + 1))));
        cluster.awaitMembers();
      }
      startLoad();
      ClusterProcesses.sleep(30_000);
      check();
    } finally {
      cluster.close();
      Shell.run(folder, "umount", full.toString());
    }
  }

  @Test
  void wrongClocks() throws Exception {
    String library = clockShift();
    cluster = new ClusterProcesses(folder, NodeNetwork.loopback());
    Duration[] shifts = {
      Duration.ZERO, Duration.ofHours(2), Duration.ofHours(-2), Duration.ZERO, Duration.ofDays(30)
    };
    for (int i = 0; i < shifts.length; i++) {
      cluster.add(
          "n" + (i + 1),
          RACKS.get(i % RACKS.size()),
          "",
          Map.of(
              "LD_PRELOAD", library, "CLOCK_SHIFT_SECONDS", Long.toString(shifts[i].toSeconds())));
    }
    cluster.awaitMembers();
    keep();
    startLoad();
    overwriteOnAllNodes();
    restartEachNode("kill -9", EbbProcess::kill);
    overwriteOnAllNodes();
    check();
  }

  /** Compiles the library that shifts the wall clock of a process. */
  private String clockShift() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/gcc")), "skipped: there is no C compiler");
    Path source = folder.resolve("clock_shift.c");
    try (InputStream in = getClass().getResourceAsStream("/clock_shift.c")) {
      Files.copy(requireNonNull(in), source);
    }
    Path library = folder.resolve("clock_shift.so");
    Shell.run(
        folder, "gcc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString());
    return library.toString();
  }

  /** The last of several stores of a key wins, whatever the clocks of their nodes show. */
  private void overwriteOnAllNodes() throws IOException {
    List<EbbProcess> nodes = cluster.nodes();
    for (EbbProcess node : nodes) {
      try (RespClient client = node.client(20_000)) {
        for (int i = 0; i < OVERWRITTEN; i++) {
          String key = "overwritten:" + i;
          version++;
          client.call("SET", key, CheckedValue.of(key, version, 1_000));
          byte[] value = client.bytes("GET", key);
          assertThat(value == null ? version : CheckedValue.version(key, value))
              .as("'%s' on %s", key, node)
              .isEqualTo(version);
        }
      }
      // Which of two values wins that are stored on two nodes within a second is not defined.
      ClusterProcesses.sleep(2_500);
    }
    long last = version;
    List<String> others = new ArrayList<>();
    cluster.await(
        () -> "every node returns the value that was stored last, except " + others,
        () -> {
          others.clear();
          nodes.forEach(node -> others.addAll(notTheLast(node, last)));
          return others.isEmpty();
        });
  }

  /** Returns the overwritten values of which a node does not return the last version. */
  private List<String> notTheLast(EbbProcess node, long lastOfAll) {
    List<String> others = new ArrayList<>();
    try (RespClient client = node.client(20_000)) {
      for (int i = 0; i < OVERWRITTEN; i++) {
        String key = "overwritten:" + i;
        byte[] value = client.bytes("GET", key);
        long last = lastOfAll - (OVERWRITTEN - 1 - i);
        if (value == null || CheckedValue.version(key, value) != last) {
          others.add("'%s' on %s".formatted(key, node));
        }
      }
      return others;
    } catch (IOException e) {
      return List.of(node + ": " + e.getMessage());
    }
  }

  @Test
  void randomFaults() throws Exception {
    long seconds = Long.getLong("ebb.faults.seconds", 60);
    long seed = Long.getLong("ebb.faults.seed", System.nanoTime() % 100_000);
    System.out.printf("  seed %d, %d s%n", seed, seconds);
    if (RackNetwork.missing().isEmpty()) {
      startWithRacks("");
    } else {
      start(NodeNetwork.loopback(), "");
    }
    startLoad();
    RandomFaults faults = new RandomFaults(cluster, network, new Random(seed));
    while (load.seconds() < seconds) {
      load.longestSeconds();
      String fault = faults.next();
      System.out.printf(
          "  %6.1f s %s; longest command of a live node %.1f s%n",
          load.seconds(), fault, load.longestSeconds());
      ClusterProcesses.sleep(1_000);
    }
    check();
    for (EbbProcess node : cluster.running()) {
      try (RespClient client = node.client(20_000)) {
        client.call("FLUSHALL");
      }
    }
    cluster.await(() -> "the memory is free, except of " + leaks(), () -> leaks().isEmpty());
  }

  /** Returns the nodes whose memory is used. */
  private Set<String> leaks() {
    Set<String> used = new HashSet<>();
    cluster
        .nodes()
        .getFirst()
        .admin("/api/v1/cluster/nodes")
        .orElseThrow()
        .path("nodes")
        .forEach(node -> {
          if (node.path("usedBytes").asLong() > 0 || node.path("replicaUsedBytes").asLong() > 0) {
            used.add(node.toString());
          }
        });
    return used;
  }
}
