package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.MemoryCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ebb cluster}, and the moves of {@code ebb pool} between nodes. */
class ClusterCommandsTest {

  @TempDir private Path home;

  private static MemoryCluster three() {
    return new MemoryCluster("a", "z1", "r1")
        .node("b", "z1", "r2", 50)
        .node("c", "z2", "r3", 0)
        .put("one", 1 << 10, "a", "b")
        .put("two", 2 << 10, "a")
        .put("three", 4 << 10, "b", "c");
  }

  @Test
  void theClusterIsShown() {
    MemoryCluster cluster = three();
    cluster.read("three");
    cluster.read("gone");
    try (RunningEbb ebb = RunningEbb.start(home, cluster)) {
      Run status = ebb.run("cluster", "status");
      assertThat(status.err()).isEmpty();
      assertThat(status.out())
          .contains("cluster       test, 3 nodes, 3 values\n")
          .contains("this node     a, zone z1, rack r1, active\n")
          .contains("main store    3 KiB of 1 MiB\n")
          .contains("replication   lag 1.50 s, 1 pending, 1 under-replicated, 1 on one rack\n")
          .contains("remote reads  1 hits, 1 misses, 50.0 %\n")
          .contains("fetches       1, 4 KiB, 850 us on average");
      assertThat(ebb.run("cluster", "nodes").out())
          .containsPattern(
              "(?m)^\\*  a +active  z1 +r1 +3 KiB of 1 MiB +0 B of 256 KiB +100  a:6380$")
          .containsPattern("(?m)^   c +active  z2 +r3 ");
      assertThat(ebb.run("cluster", "nodes", "--json").out())
          .contains("\"name\":\"a\",\"self\":true");
      assertThat(ebb.run("cluster", "values", "one", "hex:74776f").out())
          .containsPattern("(?m)^active +1 KiB  \\w{8}  a +b +-  +one$")
          .containsPattern("(?m)^replicating +2 KiB  \\w{8}  a +- +- +two$");
      assertThat(ebb.run("cluster", "values", "gone"))
          .extracting(Run::exitCode, Run::err)
          .containsExactly(1, "ebb: no node has 'gone'\n");
      Run some = ebb.run("cluster", "values", "one", "gone", "two");
      assertThat(some.exitCode()).isEqualTo(1);
      assertThat(some.out()).contains("one\n", "two\n").doesNotContain("gone");
      assertThat(some.err()).isEqualTo("ebb: no node has 'gone'\n");
    }
  }

  @Test
  void settingsThatDifferAreShown() {
    MemoryCluster cluster = three();
    try (RunningEbb ebb = RunningEbb.start(home, cluster)) {
      assertThat(ebb.run("cluster", "nodes").out()).doesNotContain("differ", "replicas = 1");
      cluster.replicas("b", 2);
      assertThat(ebb.run("cluster", "nodes").out())
          .contains("differ", "ebb.cluster", "a: replicas = 1\n", "b: replicas = 2\n");
    }
  }

  @Test
  void aNodeIsDrained() {
    MemoryCluster cluster = three();
    try (RunningEbb ebb = RunningEbb.start(home, cluster)) {
      assertThat(ebb.run("cluster", "drain", "b").out())
          .contains("'b' is draining, 1 value with 1 KiB left", "--wait");
      Run waited = ebb.run("cluster", "drain", "b", "--wait");
      assertThat(waited.err()).isEmpty();
      assertThat(waited.out()).contains("'b' is drained");
      assertThat(ebb.run("cluster", "values", "three").out()).contains("  a ");
      assertThat(ebb.run("cluster", "activate", "b").out()).isEqualTo("node 'b' is active\n");
      assertThat(ebb.run("cluster", "drain", "b", "--wait", "--json").out())
          .contains("\"state\":\"drained\"");

      Run unknown = ebb.run("cluster", "drain", "x");
      assertThat(unknown.exitCode()).isEqualTo(1);
      assertThat(unknown.err()).contains("'x'", "a, b, c");
    }
  }

  @Test
  void aDrainWithoutRoomEndsAndSaysWhatStays() {
    MemoryCluster cluster = three();
    cluster.fill();
    try (RunningEbb ebb = RunningEbb.start(home, cluster)) {
      Run waited = ebb.run("cluster", "drain", "b", "--wait");
      assertThat(waited.exitCode()).isEqualTo(1);
      assertThat(waited.err())
          .contains("'b' is drained, but 1 value with 4 KiB stay", "no other node has free memory")
          .contains("ebb cluster activate b");
    }
  }

  @Test
  void valuesAreMigrated() {
    try (RunningEbb ebb = RunningEbb.start(home, three())) {
      assertThat(ebb.run("pool", "migration-status").out())
          .isEqualTo("no migration has been started\n");
      String[] move = {"pool", "migrate", "one", "two", "--target-node", "c"};
      Run started = ebb.run(move);
      assertThat(started.err()).isEmpty();
      assertThat(started.out())
          .startsWith(
              "migration 1 has started: 2 values to node 'c'; 'ebb pool migration-status 1'");
      assertThat(ebb.run("pool", "migration-status", "1").out())
          .containsPattern("(?m)^ 1  c +copying  1 of 2 +0 +1 KiB ");
      assertThat(ebb.run("pool", "migration-status").out())
          .containsPattern("(?m)^ 1  c +done +2 of 2 +0 +3 KiB ");
      assertThat(ebb.run("pool", "migrate", "one", "--target-node", "b", "--wait").out())
          .startsWith("migration 2 is done: 1 value, 1 KiB, to node 'b' in ");

      Run failed = ebb.run("pool", "migrate", "gone", "--target-node", "c", "--wait");
      assertThat(failed.exitCode()).isEqualTo(1);
      assertThat(failed.err()).contains("migration 3 failed", "'1' of 1", "'c'", "'gone'");
      assertThat(ebb.run("pool", "migration-status", "9").err()).contains("'9'");
    }
  }

  @Test
  void whatDoesNotGoTogetherIsWrongUsage() {
    try (RunningEbb ebb = RunningEbb.start(home, three())) {
      assertThat(ebb.run("pool", "migrate", "one")).extracting(Run::exitCode).isEqualTo(2);
      assertThat(ebb.run("pool", "migrate", "--target-node", "c").err()).contains("KEY");
      assertThat(ebb.run("pool", "migrate", "a", "--target-node", "c", "--to", "host").err())
          .contains("--target-node");
      assertThat(ebb.run("pool", "migrate", "--sequence", "1").err()).contains("--to");
      assertThat(ebb.run("pool", "migrate", "--sequence", "1", "--to", "host", "--wait").err())
          .contains("--wait");
      assertThat(ebb.run("pool", "migrate", "hex:0", "--target-node", "c").exitCode()).isEqualTo(2);
    }
  }

  @Test
  void withoutAClusterTheErrorSaysHowToEnableOne() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      for (String[] command :
          new String[][] {
            {"cluster", "status"},
            {"cluster", "nodes"},
            {"cluster", "values", "a"},
            {"cluster", "drain", "a"},
            {"cluster", "activate", "a"},
            {"pool", "migrate", "a", "--target-node", "b"}
          }) {
        Run run = ebb.run(command);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("ebb.cluster.enabled = true");
      }
      assertThat(ebb.run("pool", "migration-status").out())
          .isEqualTo("no migration has been started\n");
    }
  }
}
