package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** {@code ebb rollout} over three nodes, each a process, under traffic whose values are checked. */
@Timeout(300)
class RolloutCommandTest {

  private static final String[] NAMES = {"a", "b", "c"};
  private static final int CHUNKS = 2;
  private static final int CHUNK_BYTES = 40_000;

  /** Of which a client asks again; the pools hold more than those, and soon lose older ones. */
  private static final int RECENT_PROMPTS = 10;

  /** Of each client: enough to compare policies, not as many as a processor can. */
  private static final int PROMPTS_PER_SECOND = 25;

  /** Between two questions to all nodes, of which each is a command of its own. */
  private static final int POLL_MILLIS = 200;

  @TempDir private static Path home;
  private static int seed;
  private static final int[] RESP = new int[NAMES.length];
  private static final int[] ADMIN = new int[NAMES.length];
  private static final EbbProcess[] NODES = new EbbProcess[NAMES.length];
  private final List<Thread> clients = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopping;

  @BeforeAll
  static void startNodes() throws IOException {
    seed = FreePort.any();
    for (int i = 0; i < NAMES.length; i++) {
      Path folder = Files.createDirectory(home.resolve(NAMES[i]));
      plugins(folder, "1.0.0", "entry.lastAccessTick()");
      RESP[i] = FreePort.any();
      ADMIN[i] = FreePort.any();
      Configs.file(
          folder,
          """
          ebb.plugins { folder = "%1$s/plugins", run = "%1$s/run", reload = false }
          ebb { pool.size = 2 MiB, eviction.policy = oldest-out }
          ebb.server.port = %2$d
          ebb.admin.port = %3$d
          ebb.cluster {
            enabled = true, node = "%4$s", port = %5$d, transfer-port = %6$d
            seeds = ["127.0.0.1:%7$d"], replicas = 0, read-cache = "1 %%", on-evict = drop
          }
          """
              .formatted(
                  folder,
                  RESP[i],
                  ADMIN[i],
                  NAMES[i],
                  i == 0 ? seed : FreePort.any(),
                  FreePort.any(),
                  seed));
      start(i);
    }
    Awaiting.until(() -> run(0, "cluster", "nodes", "--json").out().contains("\"name\":\"c\""));
    Awaiting.until(() -> run(2, "cluster", "nodes", "--json").out().contains("\"name\":\"b\""));
  }

  /** Writes a version of the policies. */
  private static void plugins(Path folder, String version, String oldestOut) {
    PluginJarBuilder.plugin("orders")
        .version(version)
        .rankedPolicy("oldest-out", oldestOut)
        .rankedPolicy("least-used-out", "entry.lastAccessTick() + 1e-9 * entry.accesses()")
        .rankedPolicy("newest-out", "-entry.lastAccessTick()")
        .writeTo(Configs.plugins(folder), "orders.jar");
  }

  private static String version(int node) {
    return run(node, "policy", "show")
        .out()
        .replaceAll("(?s).*?orders\\W+(\\d\\.\\d\\.\\d).*", "$1");
  }

  private static void start(int node) throws IOException {
    Path folder = home.resolve(NAMES[node]);
    NODES[node] =
        EbbProcess.start(
            folder, Map.of(), "serve", "--config", folder.resolve("ebb.conf").toString());
    NODES[node].awaitOutput("RESP on ");
  }

  @AfterAll
  static void stopNodes() {
    Arrays.stream(NODES).filter(each -> each != null).forEach(EbbProcess::close);
  }

  /** A client of each node: mostly recent prompts return, which 'newest-out' has evicted. */
  private void startClients(int promptsPerSecond) {
    for (int i = 0; i < NAMES.length; i++) {
      int node = i;
      clients.add(Thread.ofPlatform().start(() -> serve(node, promptsPerSecond)));
    }
  }

  @AfterEach
  void stopClients() throws InterruptedException {
    stopping = true;
    for (Thread client : clients) {
      client.join();
    }
    assertThat(failure.get()).isNull();
  }

  private void serve(int node, int promptsPerSecond) {
    Random random = new Random(node);
    long start = System.nanoTime();
    long next = start;
    long sent = 0;
    while (!stopping) {
      try (Jedis client = new Jedis("127.0.0.1", RESP[node], 30_000)) {
        while (!stopping) {
          long prompt = random.nextInt(3) == 0 ? next++ : next - 1 - random.nextInt(RECENT_PROMPTS);
          serve(client, NAMES[node] + prompt);
          sent++;
          if (sent > (System.nanoTime() - start) / 1e9 * promptsPerSecond) {
            Awaiting.pause(10);
          }
        }
      } catch (JedisException killed) {
        Awaiting.pause();
      } catch (AssertionError wrong) {
        failure.set(wrong);
      }
    }
  }

  private static void serve(Jedis client, String prompt) {
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      byte[] key =
          "model@1@0@%08x%d@half"
              .formatted(prompt.hashCode(), chunk)
              .getBytes(StandardCharsets.UTF_8);
      byte[] value = new byte[CHUNK_BYTES];
      Arrays.fill(value, (byte) Arrays.hashCode(key));
      System.arraycopy(key, 0, value, 0, key.length);
      byte[] found = client.exists(key) ? client.get(key) : null;
      if (found == null) {
        client.set(key, value);
      } else {
        assertThat(Arrays.equals(found, value)).as("the value of %s", prompt).isTrue();
      }
    }
  }

  private static String[] with(int node, String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--url";
    all[arguments.length + 1] = "http://127.0.0.1:" + ADMIN[node];
    return all;
  }

  private static Run run(int node, String... arguments) {
    return Run.of(with(node, arguments));
  }

  /** Runs a rollout again while a busy machine leaves its clients too little time. */
  private static Run rollout(String... arguments) {
    Run run = run(0, arguments);
    for (int i = 0; i < 2 && run.err().contains("too few requests"); i++) {
      run = run(0, arguments);
    }
    return run;
  }

  private static String policy(int node) {
    return run(node, "stats", "--json")
        .out()
        .replaceAll("(?s).*?\"policy\":\\{\"name\":\"([^\"]*)\".*", "$1");
  }

  private static void awaitPolicies(String... policies) {
    Awaiting.until(() -> {
      for (int i = 0; i < policies.length; i++) {
        if (!policy(i).equals(policies[i])) {
          Awaiting.pause(POLL_MILLIS);
          return false;
        }
      }
      return true;
    });
  }

  @Test
  void aBadPolicyGoesBackAndAGoodOneGoesEverywhere() {
    startClients(PROMPTS_PER_SECOND);
    Run bad =
        rollout(
            "rollout",
            "policy",
            "newest-out",
            "--canary",
            "b",
            "--for",
            "8s",
            "--keep-if",
            "prefixHitRatio >= -5pt");
    assertThat(bad.exitCode()).isEqualTo(1);
    assertThat(bad.err())
        .contains("node 'b' is back on policy 'oldest-out'", "'prefixHitRatio >= -5pt' is not met");
    awaitPolicies("oldest-out", "oldest-out", "oldest-out");

    Run good =
        rollout(
            "rollout",
            "policy",
            "least-used-out",
            "--canary",
            "b",
            "--for",
            "8s",
            "--keep-if",
            "prefixHitRatio >= -25pt");
    assertThat(good.err()).isEmpty();
    assertThat(good.out())
        .contains("policy 'least-used-out' is active on all 3 nodes", "the other nodes");
    awaitPolicies("least-used-out", "least-used-out", "least-used-out");

    for (int i = 0; i < NAMES.length; i++) {
      assertThat(run(i, "policy", "set", "oldest-out").exitCode()).isZero();
    }
  }

  @Test
  void aBadVersionOfAPluginGoesBackAndAGoodOneGoesEverywhere() {
    startClients(PROMPTS_PER_SECOND);
    String[] newest = {
      "rollout", "plugins", "--canary", "b", "--for", "8s", "--keep-if", "prefixHitRatio >= -20pt"
    };
    for (String name : NAMES) {
      plugins(home.resolve(name), "2.0.0", "-entry.lastAccessTick()");
    }
    Run bad = rollout(newest);
    assertThat(bad.exitCode()).isEqualTo(1);
    assertThat(bad.err()).contains("node 'b' is back on policy", "1.0.0", "is not met");
    assertThat(List.of(version(0), version(1), version(2))).containsOnly("1.0.0");

    for (String name : NAMES) {
      plugins(home.resolve(name), "3.0.0", "entry.lastAccessTick()");
    }
    Run good = rollout(newest);
    assertThat(good.err()).isEmpty();
    assertThat(good.out()).contains("3.0.0", "all 3 nodes");
    assertThat(List.of(version(0), version(1), version(2))).containsOnly("3.0.0");
  }

  /** Nobody has to be there for the end of a trial. */
  @Test
  void aRolloutWhoseCommandIsKilledGoesBack() throws IOException {
    Path folder = Files.createDirectory(home.resolve("command"));
    try (EbbProcess command =
        EbbProcess.start(
            folder,
            Map.of(),
            with(0, "rollout", "policy", "newest-out", "--canary", "b", "--for", "20s"))) {
      awaitPolicies("oldest-out", "newest-out", "oldest-out");
      command.kill();
      awaitPolicies("oldest-out", "oldest-out", "oldest-out");
    }
    assertThat(run(1, "policy", "shadow", "list").out()).doesNotContain("oldest-out");
  }

  @Test
  void anInterruptGoesBack() throws Exception {
    Path folder = Files.createDirectory(home.resolve("interrupted"));
    try (EbbProcess command =
        EbbProcess.start(
            folder,
            Map.of(),
            with(0, "rollout", "policy", "newest-out", "--canary", "b", "--for", "1h"))) {
      awaitPolicies("oldest-out", "newest-out", "oldest-out");
      command.terminate();
      command.exitCode();
      assertThat(command.output()).contains("goes back");
      awaitPolicies("oldest-out", "oldest-out", "oldest-out");
    }
  }

  @Test
  void aCanaryThatIsKilledEndsTheRollout() throws Exception {
    startClients(PROMPTS_PER_SECOND / 5);
    Path folder = Files.createDirectory(home.resolve("watching"));
    try (EbbProcess command =
        EbbProcess.start(
            folder,
            Map.of(),
            with(0, "rollout", "policy", "newest-out", "--canary", "c", "--for", "1h"))) {
      awaitPolicies("oldest-out", "oldest-out", "newest-out");
      NODES[2].kill();
      assertThat(command.exitCode()).isEqualTo(1);
      assertThat(command.output()).contains("node 'c': ");
    } finally {
      start(2);
    }
    awaitPolicies("oldest-out", "oldest-out", "oldest-out");
    Awaiting.until(() -> run(0, "cluster", "nodes", "--json").out().contains("\"name\":\"c\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "policy oldest-out --canary b|1|node 'b': |'oldest-out' is active",
        "policy nonsense --canary b|1|node 'b': |'nonsense'",
        "policy newest-out --canary x|1|no node 'x'|a, b, c",
        "policy newest-out --for 0s|2|--for: '0s'|1 s",
        "policy newest-out --keep-if speed>1|2|--keep-if: 'speed>1'|prefixHitRatio or hitRatio",
        "plugins --canary b|1|node 'b': |no new version"
      })
  void mistakesAreExplained(String given) {
    String[] parts = given.split("\\|", -1);
    String[] words = ("rollout " + parts[0]).split(" ", -1);
    Run run = run(0, words);
    assertThat(run.exitCode()).isEqualTo(Integer.parseInt(parts[1]));
    assertThat(run.err()).contains(parts[2], parts[3]).doesNotContain("\tat ");
    awaitPolicies("oldest-out", "oldest-out", "oldest-out");
  }
}
