package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of the release before and of this build in one cluster, while it is updated. */
class VersionSkewIT {

  /** What packaging/previous.sh has built. */
  private static final Path PREVIOUS = Ebb.ROOT.resolve("dist/target/previous");

  @TempDir private Path folder;

  @Test
  void aClusterIsUpdatedNodeByNode() throws Exception {
    String previous = previousLauncher();
    try (ClusterProcesses cluster = new ClusterProcesses(folder, NodeNetwork.loopback())) {
      EbbProcess a = cluster.addOf(previous, "a", "rack-1");
      EbbProcess b = cluster.addOf(previous, "b", "rack-2");
      cluster.awaitMembers();
      ClusterIT.store(a, "before");
      EbbProcess c = cluster.add("c", "rack-3", "");
      cluster.awaitMembers();
      ClusterIT.store(c, "while");
      cluster.awaitReplicated();
      List<EbbProcess> all = List.of(a, b, c);
      ClusterIT.read(all, "before");
      ClusterIT.read(all, "while");

      for (EbbProcess old : List.of(a, b)) {
        old.terminate();
        old.launchWith(Ebb.launcher());
        old.start();
        cluster.awaitMembers();
        cluster.awaitReplicated();
        ClusterIT.read(all, "before");
        ClusterIT.read(all, "while");
      }
      for (EbbProcess each : all) {
        assertThat(each.output()).doesNotContain("refused", "corrupt", "unknown");
      }
    }
  }

  private String previousLauncher() throws Exception {
    assumeTrue(Files.exists(PREVIOUS), "packaging/previous.sh has built no earlier release");
    try (Stream<Path> archives = Files.list(PREVIOUS)) {
      Path archive = archives.sorted().reduce((_, last) -> last).orElseThrow();
      Path home = Files.createDirectory(folder.resolve("previous"));
      Shell.run(home, "tar", "xzf", archive.toString(), "--strip-components=1");
      return home.resolve("ebb").toString();
    }
  }
}
