package dev.ebb.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the chart renders for a pool, executed by the release folder that {@code dist} builds. */
class PoolIT {

  private static final int NODES = 3;
  private static final int FIRST_VALUES = 300;

  /** So many fit into two nodes: a draining node waits for space on the others. */
  private static final int MOST_VALUES = 600;

  @TempDir private Path directory;
  private Path hosts;

  @BeforeEach
  void needLinux() {
    assumeThat(System.getProperty("os.name"))
        .as("only Linux has these addresses")
        .isEqualTo("Linux");
    assertThat(Chart.ROOT.resolve("dist/target/ebb/lib")).as("build dist first").exists();
    hosts = directory.resolve("hosts");
  }

  @Test
  void aRollingRestartLosesNoValue() throws Exception {
    Chart.Rendered release =
        Chart.render(
            """
            mode: pool
            pool: { heapMiB: 256 }
            javaOptions: %s -Djdk.net.hosts.file=%s
            plugins: { configMaps: [policies] }
            config: |
              ebb.pool.size = 64 MiB
              ebb.eviction.policy = arc
            """
                .formatted(Pod.JAVA_OPTIONS, hosts));
    List<Pod> pods = new ArrayList<>();
    Certificate certificate = Certificate.in(directory);
    try (ApiServer api = new ApiServer(certificate)) {
      Path token = Files.writeString(directory.resolve("token"), ApiServer.TOKEN);
      Path jar = Chart.ROOT.resolve("plugins/ebb-plugin-arc.jar");
      Map<String, Map<String, Path>> files =
          Map.of(
              "api", Map.of("token", token, "ca.crt", certificate.certificate()),
              "plugins-map-0", Map.of("my-policy.jar", jar));
      for (int i = 0; i < NODES; i++) {
        pods.add(
            new Pod("cache-ebb-" + i, release, directory.resolve("pod-" + i), api.url(), files));
      }
      name(pods, List.of("127.77.0.10", "127.77.0.11", "127.77.0.12"));
      for (int i = 0; i < NODES; i++) {
        pods.get(i).start("127.77.0.1" + i);
      }
      restartOneByOne(pods);
    } finally {
      pods.forEach(Pod::close);
    }
  }

  private void restartOneByOne(List<Pod> pods) throws Exception {
    assertThat(nodes(pods.getFirst()))
        .hasSize(NODES)
        .allSatisfy(node -> {
          String pod = node.path("name").asString();
          assertThat(node.path("rack").asString()).isEqualTo("machine-of-" + pod);
          assertThat(node.path("zone").asString()).isEqualTo("zone-of-machine-of-" + pod);
        });
    assertThat(pods.getFirst().get("/api/v1/plugins").body())
        .contains("ebb-plugin-lru.jar", "my-policy.jar");
    List<Pod> serving = new CopyOnWriteArrayList<>(pods);
    List<String> addresses = new ArrayList<>(pods.stream().map(Pod::address).toList());
    try (Load load = new Load(serving)) {
      load.awaitValues(FIRST_VALUES);
      // As a StatefulSet does: the last one first, and each pod comes back with another address.
      for (int i = NODES - 1; i >= 0; i--) {
        Pod pod = pods.get(i);
        serving.remove(pod);
        assertThat(pod.stop()).contains("'" + pod.name + "' is drained");
        addresses.set(i, "127.77.1.1" + i);
        name(pods, addresses);
        pod.start(addresses.get(i));
        serving.add(pod);
        load.awaitReads(50);
      }
      assertThat(load.wrong).isEmpty();
      load.stop();
      for (Pod pod : pods) {
        assertThat(load.missing(pod)).as("on %s", pod.name).isEmpty();
      }
    }
  }

  private void name(List<Pod> pods, List<String> addresses) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("127.0.0.1 localhost " + InetAddress.getLocalHost().getHostName());
    for (int i = 0; i < pods.size(); i++) {
      lines.add("%s %s.cache-ebb-nodes.llm.svc".formatted(addresses.get(i), pods.get(i).name));
    }
    Files.write(hosts, lines);
  }

  private static List<JsonNode> nodes(Pod pod) throws IOException, InterruptedException {
    String body = pod.get("/api/v1/cluster/nodes").body();
    return new JsonMapper().readTree(body).path("nodes").valueStream().toList();
  }

  /** Stores values and reads them back, over any pod that serves. */
  private static final class Load implements AutoCloseable {
    final List<String> wrong = new CopyOnWriteArrayList<>();
    private final List<Pod> serving;
    private final AtomicInteger stored = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final Thread thread = Thread.ofPlatform().unstarted(this::run);
    private volatile boolean stopped;

    Load(List<Pod> serving) {
      this.serving = serving;
      thread.start();
    }

    private void run() {
      Random random = new Random(1);
      while (!stopped) {
        Pod pod = serving.get(random.nextInt(serving.size()));
        try (Resp client = pod.client()) {
          for (int i = 0; i < 20 && serving.contains(pod); i++) {
            int next = stored.get();
            if (next < MOST_VALUES) {
              client.call("SET", "key-" + next, value(next));
              stored.incrementAndGet();
            }
            int old = random.nextInt(stored.get());
            String found = client.call("GET", "key-" + old);
            if (found != null && !found.equals(value(old))) {
              wrong.add("key-" + old);
            }
            reads.incrementAndGet();
            Thread.sleep(10);
          }
        } catch (InterruptedException impossible) {
          throw new AssertionError(impossible);
        } catch (IOException lost) {
          if (serving.contains(pod)) {
            wrong.add(pod.name + ": " + lost);
          }
        }
      }
    }

    private static String value(int key) {
      return (key + ".").repeat(1_000);
    }

    void awaitValues(int count) throws InterruptedException {
      while (stored.get() < count) {
        assertThat(thread.isAlive()).isTrue();
        Thread.sleep(20);
      }
    }

    void awaitReads(int count) throws InterruptedException {
      int end = reads.get() + count;
      while (reads.get() < end) {
        assertThat(thread.isAlive()).isTrue();
        Thread.sleep(20);
      }
    }

    /** Returns the keys that a pod does not find. */
    List<String> missing(Pod pod) throws IOException {
      List<String> missing = new ArrayList<>();
      try (Resp client = pod.client()) {
        for (int i = 0; i < stored.get(); i++) {
          if (!value(i).equals(client.call("GET", "key-" + i))) {
            missing.add("key-" + i);
          }
        }
      }
      return missing;
    }

    void stop() throws InterruptedException {
      stopped = true;
      thread.join();
    }

    @Override
    public void close() {
      stopped = true;
    }
  }
}
